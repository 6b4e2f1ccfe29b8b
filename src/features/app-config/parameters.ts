import Type, { type Static, type TObject } from 'typebox';
import { Struct } from '../../http/schemas.ts';
import { bodyValidator } from '../../http/validation.ts';
import { parseIsoDuration } from '../../values/duration.ts';
import { parseRecurrence, RecurrenceProblem } from '../../values/recurrence.ts';
import { day } from '../../values/time.ts';

interface Parameter<Schema extends TObject = TObject> {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly defaultValue: Static<Schema>;
  /** Protected parameters change only by `kennel config set`. */
  readonly isProtected: boolean;
  /** Rules that a schema can't say: each problem begins with the member's path. */
  readonly check: (value: Static<Schema>) => string[];
}

function parameter<Schema extends TObject>(
  name: string,
  description: string,
  schema: Schema,
  defaultValue: Static<Schema>,
  options: { isProtected?: boolean; check?: (value: Static<Schema>) => string[] } = {},
): Parameter<Schema> {
  return {
    name,
    description,
    schema,
    defaultValue,
    isProtected: options.isProtected ?? false,
    check: options.check ?? (() => []),
  };
}

const Switch = Struct({ enabled: Type.Boolean() });
const IsoDuration = Type.String({
  description: 'ISO 8601 duration such as P7D; months are not allowed',
  maxLength: 100,
});

/** gap 5.1: every configuration parameter there is, with its schema and its default. */
export const parameters = {
  'auth.password_expiration_window': parameter(
    'Local Auth Password Expiry Window',
    'How long a local password lasts before it must be changed',
    Struct({ duration: IsoDuration }),
    { duration: 'P90D' },
    { check: ({ duration }) => windowProblems(duration) },
  ),
  'auth.session_ttl_hours': parameter(
    'Session Lifetime',
    'How many hours a sign-in lasts',
    Struct({ hours: Type.Integer({ minimum: 1, maximum: 720 }) }),
    { hours: 8 },
  ),
  'auth.api_token_expiration': parameter(
    'API Token Expiration',
    'Whether API tokens of users expire, and after how many days',
    Struct({ enabled: Type.Boolean(), expiration_period: Type.Integer({ minimum: 1, maximum: 365 }) }),
    { enabled: false, expiration_period: 90 },
  ),
  'auth.api_tokens': parameter(
    'API Tokens',
    'Whether users may sign requests with API tokens',
    Switch,
    { enabled: true },
    { isProtected: true },
  ),
  'api.timeout_limit': parameter(
    'API Timeout Limit',
    'While enabled, Prefer: wait=-1 is refused and every request has a time limit',
    Switch,
    { enabled: true },
  ),
  'http.trusted_proxies': parameter(
    'Trusted Proxies',
    'How many proxies stand before this server: the address of a caller is read that far from the right of X-Forwarded-For',
    Struct({ trusted_proxies: Type.Integer({ minimum: 0, maximum: 10 }) }),
    { trusted_proxies: 0 },
    // Whoever writes it chooses which addresses are believed, and so escapes every limit that counts them.
    { isProtected: true },
  ),
  'prune.ttl': parameter(
    'Prune Retention TTL Configuration Parameters',
    'How long objects and sessions stay in the graph without being seen again',
    Struct({ base_ttl: IsoDuration, has_session_edge_ttl: IsoDuration }),
    { base_ttl: 'P7D', has_session_edge_ttl: 'P3D' },
    {
      check: (value) => [
        ...durationProblems('base_ttl', value.base_ttl, 4, 30),
        ...durationProblems('has_session_edge_ttl', value.has_session_edge_ttl, 2, 7),
      ],
    },
  ),
  'analysis.citrix_rdp_support': parameter(
    'Citrix RDP Support',
    'Whether membership of the Direct Access Users group is required for remote desktop rights',
    Switch,
    { enabled: true },
  ),
  'analysis.reconciliation': parameter(
    'Reconciliation',
    'Whether what was not seen again is removed from the graph',
    Switch,
    { enabled: true },
  ),
  'analysis.scheduled': parameter(
    'Scheduled Analysis',
    'A recurrence rule (RFC 5545, with DTSTART, without UNTIL and COUNT) by which analysis runs',
    Struct({ enabled: Type.Boolean(), rrule: Type.String({ maxLength: 1000 }) }),
    { enabled: false, rrule: '' },
    { check: ({ enabled, rrule }) => recurrenceProblems(enabled, rrule) },
  ),
  'analysis.retain_ingest_files': parameter(
    'Retain Ingest Files',
    'Whether the bytes of ingested files are kept',
    Switch,
    { enabled: false },
  ),
} as const;

export type ParameterKey = keyof typeof parameters;
export type ParameterValue<Key extends ParameterKey> = Static<(typeof parameters)[Key]['schema']>;

export function isParameterKey(key: string): key is ParameterKey {
  return Object.hasOwn(parameters, key);
}

/** Everything that is wrong with a value, each with its path from the body's root. */
export function valueProblems(key: ParameterKey, value: unknown): { context: string; message: string }[] {
  const declared = parameters[key] as Parameter;
  const problems = bodyValidator(declared.schema)(value, 'value');
  if (problems.length > 0) return problems;
  return declared
    .check(value as never)
    .map((message) => ({ context: message.split(' ', 1)[0] ?? 'value', message }));
}

function durationProblems(member: string, text: string, minDays: number, maxDays: number): string[] {
  const duration = parseIsoDuration(text);
  if (duration === undefined)
    return [`value.${member} must be an ISO 8601 duration without months, such as P7D`];
  const isWithin = duration >= minDays * day && duration <= maxDays * day;
  return isWithin ? [] : [`value.${member} must be between P${minDays}D and P${maxDays}D`];
}

/** Any length that still ends within the calendar, but not an expiry at once. */
function windowProblems(text: string): string[] {
  const problems = durationProblems('duration', text, 0, 365_000);
  return problems.length === 0 && parseIsoDuration(text) === 0
    ? ['value.duration must be longer than zero']
    : problems;
}

function recurrenceProblems(enabled: boolean, rrule: string): string[] {
  if (rrule === '') return enabled ? ['value.rrule is required while value.enabled is true'] : [];
  try {
    parseRecurrence(rrule);
    return [];
  } catch (error) {
    if (!(error instanceof RecurrenceProblem)) throw error;
    return [`value.rrule is not a usable recurrence rule: ${error.message}`];
  }
}
