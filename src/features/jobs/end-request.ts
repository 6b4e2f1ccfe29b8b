import Type, { type Static } from 'typebox';
import { AppError, type Problem } from '../../errors.ts';
import { quoted } from '../../http/parameters.ts';
import { published } from '../../http/schemas.ts';
import { cleanText } from '../../values/text.ts';
import { jobStatus } from './states.ts';
import { type DomainResultCount, domainResultCounts, type NewDomainResult } from './store.ts';

/** A collector that says too much must not lose its whole end for it. */
const longestMessage = 10_000;

const statusPattern = '^([cC][oO][mM][pP][lL][eE][tT][eE]|[fF][aA][iI][lL][eE][dD])$';

/** gap 3.3: what a collector sends when it is done. Members that are not listed here are ignored. */
export const EndJobRequest = Type.Object(
  {
    status: Type.Union(
      [
        Type.String({ maxLength: 50, ...published({ pattern: statusPattern }) }),
        Type.Integer(published({ enum: [2, 5] })),
      ],
      {
        description: 'COMPLETE or FAILED in any case, or their numbers 2 and 5',
      },
    ),
    message: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: `Shortened to ${longestMessage} characters` }),
    ),
    job_id: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "For users only: a collector's job is its running one",
      }),
    ),
    domain_results: Type.Optional(
      Type.Union(
        [
          Type.Record(Type.String(), Type.Object({})),
          Type.Array(Type.Object({}), { maxItems: 10_000 }),
          Type.Null(),
        ],
        {
          description:
            'Per domain what was collected: a map from domain name to counts, or an array of domain results',
        },
      ),
    ),
  },
  { title: 'EndJobRequest' },
);

export interface EndReport {
  readonly status: typeof jobStatus.complete | typeof jobStatus.failed;
  readonly message: string;
  readonly jobId: number | undefined;
  readonly domainResults: readonly NewDomainResult[];
}

/** The same facts, whichever way they were written; no body at all means COMPLETE. */
export function readEndRequest(body: Static<typeof EndJobRequest> | undefined): EndReport {
  if (body === undefined)
    return { status: jobStatus.complete, message: '', jobId: undefined, domainResults: [] };
  const problems: Problem[] = [];
  const status = readStatus(body.status, problems);
  const domainResults = readDomainResults(body.domain_results ?? [], problems);
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
  const message = cleanText((body.message ?? '').slice(0, longestMessage));
  return { status, message, jobId: body.job_id, domainResults };
}

function readStatus(given: string | number, problems: Problem[]): EndReport['status'] {
  const name = String(given).toUpperCase();
  if (given === jobStatus.complete || name === 'COMPLETE') return jobStatus.complete;
  if (given === jobStatus.failed || name === 'FAILED') return jobStatus.failed;
  problems.push({
    context: 'status',
    message: `status must be COMPLETE or FAILED, but is ${quoted(String(given))}`,
  });
  return jobStatus.failed;
}

type DomainResults = Readonly<Record<string, object>> | readonly object[];

/** gap 3.6: both shapes are read with both spellings of a count (`users` and `user_count`). */
function readDomainResults(given: DomainResults, problems: Problem[]): NewDomainResult[] {
  const entries = Array.isArray(given)
    ? given.map((result, index) => ({ at: `domain_results.${index}`, name: undefined, result }))
    : Object.entries(given).map(([name, result]) => ({ at: `domain_results.${name}`, name, result }));
  return entries.map(({ at, name, result }) =>
    readDomainResult(at, name, result as Record<string, unknown>, problems),
  );
}

function readDomainResult(
  at: string,
  name: string | undefined,
  sent: Record<string, unknown>,
  problems: Problem[],
): NewDomainResult {
  // Member names of collectors' bodies are matched whatever their case.
  const given = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]));
  const text = (member: string) => {
    const value = given[member];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    problems.push({ context: `${at}.${member}`, message: `${at}.${member} must be a string` });
    return undefined;
  };
  const domainName = name ?? text('domain_name') ?? '';
  if (domainName === '')
    problems.push({ context: `${at}.domain_name`, message: `${at}.domain_name is required` });
  const { success = true } = given;
  if (typeof success !== 'boolean')
    problems.push({ context: `${at}.success`, message: `${at}.success must be a boolean` });
  const counts = Object.fromEntries(
    domainResultCounts.map((count) => [count, readCount(at, count, given, problems)]),
  ) as Record<DomainResultCount, number>;
  return {
    domain_name: domainName,
    success: success === true,
    message: text('message') ?? text('status') ?? '',
    ...counts,
  };
}

function readCount(
  at: string,
  count: DomainResultCount,
  given: Record<string, unknown>,
  problems: Problem[],
): number {
  const short = count === 'deleted_count' ? 'deleted' : count.replace(/_count$/, 's');
  const member = given[count] === undefined ? short : count;
  const { [member]: value = 0 } = given;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  problems.push({
    context: `${at}.${member}`,
    message: `${at}.${member} must be a whole number of at least 0`,
  });
  return 0;
}
