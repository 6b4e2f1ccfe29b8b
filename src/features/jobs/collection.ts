import Type, { type Static } from 'typebox';
import { AppError, type Problem } from '../../errors.ts';
import { collectionFlags } from './store.ts';

const Flag = Type.Optional(Type.Boolean());
const Ids = Type.Optional(
  Type.Union([Type.Array(Type.String({ minLength: 1, maxLength: 250 }), { maxItems: 1000 }), Type.Null()]),
);

/** What a collection is asked to do: the members that an ad-hoc job and a schedule have in common. */
export const collectionMembers = {
  session_collection: Flag,
  local_group_collection: Flag,
  ad_structure_collection: Flag,
  cert_services_collection: Flag,
  ca_registry_collection: Flag,
  dc_registry_collection: Flag,
  all_trusted_domains: Flag,
  ous: Ids,
  domains: Ids,
};

type Wish = Static<ReturnType<typeof Type.Object<typeof collectionMembers>>>;

/** As the columns of a job or a schedule have it. */
export interface Collection extends Readonly<Record<(typeof collectionFlags)[number], 0 | 1>> {
  /** JSON arrays. */
  readonly ous: string;
  readonly domains: string;
}

/** The kinds of collectors. Only the first collects by flags; the others always collect what they can. */
export const clientTypes = ['sharphound', 'azurehound', 'openhound'] as const;

/** Checks the rules that a schema can't say, all of them. */
export function readCollection(wish: Wish, clientType: string): Collection {
  const ous = unique(wish.ous);
  const domains = unique(wish.domains);
  const problems: Problem[] = [];
  const kinds = collectionFlags.filter((flag) => flag !== 'all_trusted_domains');
  if (clientType === 'sharphound' && !kinds.some((flag) => wish[flag] === true)) {
    problems.push({
      context: 'session_collection',
      message: `at least one data collection flag must be provided: ${kinds.join(', ')}`,
    });
  }
  const scopes = [ous.length > 0, domains.length > 0, wish.all_trusted_domains === true];
  if (scopes.filter(Boolean).length > 1) {
    problems.push({
      context: 'ous',
      message: 'may only scope collection by exactly one of OU, Domain, or All Trusted Domains',
    });
  }
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
  const flags = Object.fromEntries(collectionFlags.map((flag) => [flag, wish[flag] === true ? 1 : 0]));
  return {
    ...(flags as Record<(typeof collectionFlags)[number], 0 | 1>),
    ous: JSON.stringify(ous),
    domains: JSON.stringify(domains),
  };
}

function unique(ids: readonly string[] | null | undefined): string[] {
  return [...new Set(ids ?? [])];
}
