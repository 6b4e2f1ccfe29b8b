import Type, { type Static } from 'typebox';
import type { Problem } from '../../errors.ts';
import { type Icon, typeOf } from '../../graph/kinds.ts';
import { type GraphNode, objectKey } from '../../graph/store.ts';
import type { Register } from '../../http/operation.ts';
import { Int32Parameter, published, Struct } from '../../http/schemas.ts';
import { cleanText } from '../../values/text.ts';
import type { KindIcons } from '../custom-nodes/index.ts';
import { readNodes, searchNodes } from './store.ts';

const Found = Struct({
  objectid: Type.String(),
  type: Type.String({ description: 'The kind that it is shown as' }),
  name: Type.String(),
  distinguishedname: Type.String(),
  system_tags: Type.String(),
});

/** Beyond this a search is not a search any more: `kennel export` gives everything. */
const mostSkip = 10_000;
const mostLimit = 1000;
const longestText = 1000;

export function registerSearch(register: Register, icons: KindIcons): void {
  register({
    id: 'SearchGraph',
    method: 'GET',
    url: '/api/v2/search',
    tag: 'Graph',
    summary: 'Search nodes by name or object id',
    description:
      'Without regard to case. First comes the node with exactly this object id, then names that begin with the text, object ids that do, and, for texts of three characters or more, names and object ids that have it anywhere. Names count up to their 200th character.',
    access: { permission: 'graphdb.Read' },
    query: Struct({
      q: Type.String({
        description: 'Text to look for',
        ...published({ minLength: 1, maxLength: longestText }),
      }),
      type: Type.Optional(Type.String({ description: 'Only nodes of this kind, such as User' })),
      skip: Type.Optional(
        Int32Parameter({
          minimum: 0,
          default: 0,
          description: 'Nodes to leave out',
          ...published({ maximum: mostSkip }),
        }),
      ),
      limit: Type.Optional(
        Int32Parameter({
          minimum: 0,
          default: 10,
          description: 'Nodes to answer with',
          ...published({ maximum: mostLimit }),
        }),
      ),
    }),
    checkQuery: (query, invalid) => tooMuch(query).filter(({ context }) => !invalid.has(context)),
    answer: Struct({ data: Type.Array(Found) }),
    answerExample: {
      data: [
        {
          objectid: 'S-1-5-21-2643190041-1319121918-239771340-512',
          type: 'Group',
          name: 'DOMAIN ADMINS@CORP.EXAMPLE',
          distinguishedname: 'CN=DOMAIN ADMINS,CN=USERS,DC=CORP,DC=EXAMPLE',
          system_tags: 'admin_tier_0',
        },
      ],
    },
    errors: { bad_request: 'limit must be at most 1000, but is 5000' },
    handle: async ({ graph, query }) => {
      const { skip = 0, limit = 10 } = query;
      if (limit === 0) return { data: [] };
      const text = objectKey(cleanText(query.q));
      const known = await icons.all();
      const nodes = await graph.slowly(async (graph) => {
        const ids = await searchNodes(graph, { text, kind: query.type || undefined, most: skip + limit });
        return readNodes(graph, ids.slice(skip));
      });
      return { data: nodes.map((node) => toFound(node, known)) };
    },
  });
}

function tooMuch({ q = '', skip = 0, limit = 0 }: { q?: string; skip?: number; limit?: number }): Problem[] {
  const problems: Problem[] = [];
  const check = (holds: boolean, context: string, message: string) => {
    if (!holds) problems.push({ context, message: `${context} must be ${message}` });
  };
  check(q !== '' && q.length <= longestText, 'q', `1 to ${longestText} characters, but has ${q.length}`);
  check(skip <= mostSkip, 'skip', `at most ${mostSkip}, but is ${skip}: look for more of the name`);
  check(limit <= mostLimit, 'limit', `at most ${mostLimit}, but is ${limit}`);
  return problems;
}

function toFound(node: GraphNode, icons: ReadonlyMap<string, Icon>): Static<typeof Found> {
  const { distinguishedname, system_tags: tags } = node.properties;
  return {
    objectid: node.objectId,
    type: typeOf(node.kinds, (kind) => icons.has(kind)),
    name: node.name,
    distinguishedname: typeof distinguishedname === 'string' ? distinguishedname : '',
    system_tags: typeof tags === 'string' ? tags : '',
  };
}
