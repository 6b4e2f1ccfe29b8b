import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { Document, type Register } from '../../http/operation.ts';
import { DateTimeParameter, Struct } from '../../http/schemas.ts';
import { readDiff } from './diff.ts';
import { toDiffCsv } from './diff-csv.ts';
import { diffExample } from './diff-example.ts';
import { PostureDiff, toDiffView } from './diff-schema.ts';
import { csv, EnvironmentsParameter, rangeProblems, TagParameter } from './parameters.ts';

const defaultLimit = 1000;
const maxLimit = 10_000;

export function registerDiff(register: Register, deps: Pick<Deps, 'clock'>): void {
  register({
    id: 'GetPostureDiff',
    method: 'GET',
    url: '/api/v2/posture-diff',
    tag: 'Risk posture',
    summary: 'Compare posture at two times',
    description:
      'What changed between the analyses that were in force at two times: the six measures, findings that are new or gone, and objects that entered or left the zone. Severity and counts of a finding are those that were measured last.',
    rules: ['`from` is earlier than `to`, which is now if it is left out'],
    access: { permission: 'graphdb.Read' },
    edition: 'enterprise',
    query: Struct({
      from: DateTimeParameter({
        description: 'The earlier time: the last analysis published by then counts',
      }),
      to: Type.Optional(DateTimeParameter({ description: 'The later time; default now' })),
      environments: EnvironmentsParameter,
      asset_group_tag_id: TagParameter,
      limit: Type.Optional(
        Type.Integer({
          format: 'int32',
          minimum: 0,
          maximum: maxLimit,
          default: defaultLimit,
          description: 'How many findings and objects of each list are told at most',
        }),
      ),
    }),
    volatile: ({ to }) => to === undefined,
    answer: Struct({ data: PostureDiff }),
    answerExample: { data: diffExample },
    documents: { [csv]: 'The same as one table: measures, counts, findings, objects' },
    errors: {
      bad_request: 'from must be before to',
      not_found:
        'no analysis was published by 2026-01-01T00:00:00Z: the first that is known was at 2026-01-05T02:10:00Z',
    },
    checkQuery: ({ from, to = deps.clock(), limit = defaultLimit }, invalid) => [
      ...(from === undefined ? [] : rangeProblems(['from', 'to'], [from, to], invalid)),
      ...(limit > maxLimit ? [{ context: 'limit', message: `limit must be from 0 to ${maxLimit}` }] : []),
    ],
    handle: async (call) => {
      const { from, to = deps.clock(), environments, limit = defaultLimit } = call.query;
      const wish = { from, to, environments, tagId: call.query.asset_group_tag_id, limit };
      const view = toDiffView(wish, await call.graph.slowly((graph) => readDiff(graph, wish)));
      return call.prefers(csv) ? new Document(csv, toDiffCsv(view), 'posture-diff.csv') : { data: view };
    },
  });
}
