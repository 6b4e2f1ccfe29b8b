import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { Document, type Register } from '../../http/operation.ts';
import { Empty, Int64Parameter, Struct } from '../../http/schemas.ts';
import type { KindIcons } from '../custom-nodes/index.ts';
import { readChecked } from '../posture/index.ts';
import { findingExample, pathExample } from './examples.ts';
import { exportFindings, showFindings } from './export.ts';
import { examplePath } from './path.ts';
import { AttackPathType, Finding, FindingWithPath, NewAcceptance, toPathView, toTypeView } from './schema.ts';
import { acceptRisk, getFinding, takeBackAcceptance } from './service.ts';
import { findingList, readFindings } from './store.ts';
import { describedTypes } from './types.ts';

const tag = 'Attack paths';
const csv = 'text/csv';
const read = { permission: 'graphdb.Read' } as const;
const manage = { permission: 'risks.ManageRisks' } as const;
const edition = 'enterprise';
const path = Struct({ finding_id: Int64Parameter() });
const notFound = 'finding 42 does not exist';
const gone = 'finding 42 is gone: there is nothing to accept';
const Count = Type.Integer({ minimum: 0 });

export function registerAttackPaths(
  register: Register,
  deps: Pick<Deps, 'graph' | 'clock'>,
  icons: KindIcons,
): void {
  register({
    id: 'ListAttackPathTypes',
    method: 'GET',
    url: '/api/v2/attack-path-types',
    tag,
    summary: 'List the names of the types of findings',
    access: read,
    edition,
    answer: Struct({ data: Type.Array(Type.String()) }),
    answerExample: { data: describedTypes.slice(0, 2).map(({ id }) => id) },
    handle: async () => ({ data: describedTypes.map(({ id }) => id) }),
  });

  register({
    id: 'DescribeAttackPathTypes',
    method: 'GET',
    url: '/api/v2/attack-paths/types',
    tag,
    summary: 'Describe the types of findings',
    access: read,
    edition,
    answer: Struct({ data: Type.Array(AttackPathType) }),
    answerExample: { data: describedTypes.slice(0, 1).map((type) => toTypeView(type, [])) },
    handle: async ({ graph }) => {
      const checked = await readChecked(graph);
      return { data: describedTypes.map((type) => toTypeView(type, checked)) };
    },
  });

  register({
    id: 'ListFindings',
    method: 'GET',
    url: '/api/v2/attack-paths/findings',
    tag,
    summary: 'List findings, the most severe first',
    description: `What the last analysis saw; with a filter of \`state\` also what is gone by now. With \`Accept: ${csv}\` everything that matches is exported; \`skip\` and \`limit\` then count only if they are given.`,
    access: read,
    edition,
    list: findingList,
    answer: Struct({
      count: Type.Integer({ minimum: 0, description: 'How many there are on all pages' }),
      limit: Count,
      skip: Count,
      data: Struct({ findings: Type.Array(Finding) }),
    }),
    answerExample: { count: 1, limit: 100, skip: 0, data: { findings: [findingExample] } },
    documents: { [csv]: 'A line of names, then one finding per line' },
    handle: async (call) => {
      const { graph, list } = call;
      const now = deps.clock();
      const known = await icons.all();
      // gap 1.5: an export may take longer than a request; its first page is still within the wait.
      if (call.prefers(csv))
        return new Document(csv, await exportFindings(graph, deps.graph, list, now, known), 'findings.csv');
      return graph.slowly(async (graph) => {
        const { count, rows } = await readFindings(graph, list, now);
        return {
          count,
          limit: list.limit ?? count,
          skip: list.skip,
          data: { findings: await showFindings(graph, rows, now, known) },
        };
      });
    },
  });

  register({
    id: 'GetFinding',
    method: 'GET',
    url: '/api/v2/attack-paths/findings/{finding_id}',
    tag,
    summary: 'Get a finding, with one shortest path from an exposed principal through it',
    description:
      'A finding of Hygiene, or one that no principal can reach, is shown with its own ends alone. One that is gone has no path.',
    access: read,
    edition,
    path,
    answer: Struct({ data: FindingWithPath }),
    answerExample: { data: { ...findingExample, path: pathExample } },
    errors: { not_found: notFound },
    handle: async ({ graph, path }) => {
      const now = deps.clock();
      const known = await icons.all();
      return graph.slowly(async (graph) => {
        const row = await getFinding(graph, path.finding_id, now);
        const [view] = await showFindings(graph, [row], now, known);
        const example = await examplePath(graph, row);
        return {
          data: {
            ...(view as NonNullable<typeof view>),
            path: example === undefined ? null : toPathView(example, known),
          },
        };
      });
    },
  });

  register({
    id: 'AcceptFinding',
    method: 'PUT',
    url: '/api/v2/attack-paths/findings/{finding_id}/acceptance',
    tag,
    summary: 'Accept the risk of a finding',
    description:
      'It is still found and still counts. The acceptance ends by itself after `until`, and holds for the same finding when that is gone and comes back.',
    rules: ['`until` is later than now'],
    access: manage,
    edition,
    path,
    body: NewAcceptance,
    bodyExample: { until: '2027-04-01T00:00:00Z', reason: 'Until the helpdesk has accounts of its own' },
    answer: Struct({ data: Finding }),
    answerExample: { data: findingExample },
    errors: {
      bad_request: 'until must be in the future, but is 2020-01-01T00:00:00Z',
      not_found: notFound,
      conflict: gone,
    },
    handle: async ({ db, graph, origin, path, body }) => {
      const now = deps.clock();
      const row = await acceptRisk({ db, graph }, origin, now, path.finding_id, body);
      const [view] = await showFindings(graph, [row], now, await icons.all());
      return { data: view as NonNullable<typeof view> };
    },
  });

  register({
    id: 'DeleteFindingAcceptance',
    method: 'DELETE',
    url: '/api/v2/attack-paths/findings/{finding_id}/acceptance',
    tag,
    summary: 'Accept the risk of a finding no longer',
    access: manage,
    edition,
    path,
    answer: Empty,
    errors: { not_found: 'the risk of finding 42 is not accepted', conflict: gone },
    handle: ({ db, graph, origin, path }) =>
      takeBackAcceptance({ db, graph }, origin, deps.clock(), path.finding_id),
  });
}
