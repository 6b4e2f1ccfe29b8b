import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import { readStatus, Status, toStatusView } from './status.ts';
import { insertClear } from './store.ts';

const confirmation = 'delete';

export function registerDataPipe(register: Register, deps: Pick<Deps, 'clock'>): void {
  register({
    id: 'GetDatapipeStatus',
    method: 'GET',
    url: '/api/v2/datapipe/status',
    tag: 'Graph',
    summary: 'Get what is being done with collected data',
    access: { permission: 'graphdb.Read' },
    answer: Struct({ data: Status }),
    answerExample: {
      data: {
        status: 'idle',
        updated_at: '2026-01-05T08:00:00Z',
        last_complete_analysis_at: '2026-01-05T08:00:00Z',
        last_analysis_run_at: '2026-01-05T07:58:00Z',
        next_scheduled_analysis_at: '2026-01-06T02:00:00Z',
        analysis_requested: false,
        analysis_stage: null,
        analysis_percent: null,
      },
    },
    volatile: true,
    handle: async ({ db, graph }) => ({ data: toStatusView(await readStatus(db, graph, deps.clock())) }),
  });

  register({
    id: 'ClearDatabase',
    method: 'POST',
    url: '/api/v2/clear-database',
    tag: 'Graph',
    summary: 'Delete collected data, for good',
    description:
      'Accepted at once and done in the background; meanwhile `GET /api/v2/datapipe/status` is `purging`. What comes in after the request stays. The audit log tells what was deleted and how much; it is never cleared itself.',
    access: { permission: 'db.Wipe' },
    body: Struct({
      confirm: Type.Optional(Type.String({ description: `The word ${confirmation}` })),
      deleteCollectedGraphData: Type.Optional(Type.Boolean({ description: 'All nodes and edges' })),
      deleteSourceKinds: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
          maxItems: 100,
          description: 'Nodes that have one of these kinds, such as AZBase, with their edges',
        }),
      ),
      deleteFileIngestHistory: Type.Optional(
        Type.Boolean({ description: 'Uploads and files that are finished, and what became of them' }),
      ),
      deleteDataQualityHistory: Type.Optional(
        Type.Boolean({ description: 'Runs of analysis and the posture history that they measured' }),
      ),
    }),
    bodyExample: { confirm: confirmation, deleteCollectedGraphData: true },
    status: 202,
    answer: Struct({
      data: Struct({ id: Type.Integer(), status: Type.Enum(['accepted']) }),
    }),
    answerExample: { data: { id: 1, status: 'accepted' } },
    errors: { bad_request: `to delete for good, confirm must be the word "${confirmation}"` },
    handle: async ({ graph, body, origin }) => {
      const wish = {
        graph: body.deleteCollectedGraphData === true,
        sourceKinds: [...new Set(body.deleteSourceKinds ?? [])],
        fileHistory: body.deleteFileIngestHistory === true,
        posture: body.deleteDataQualityHistory === true,
      };
      const refuse = (context: string, message: string): never => {
        throw new AppError('bad_request', message, { context });
      };
      if (body.confirm !== confirmation)
        refuse('confirm', `to delete for good, confirm must be the word "${confirmation}"`);
      if (wish.graph && wish.sourceKinds.length > 0)
        refuse('deleteSourceKinds', 'deleteCollectedGraphData deletes every kind: give one of the two');
      if (!wish.graph && !wish.fileHistory && !wish.posture && wish.sourceKinds.length === 0)
        refuse(
          'body',
          'nothing is chosen: set deleteCollectedGraphData, deleteSourceKinds, deleteFileIngestHistory or deleteDataQualityHistory',
        );
      const id = await graph.transaction((graph) => insertClear(graph, wish, origin, deps.clock()));
      return { data: { id, status: 'accepted' as const } };
    },
  });
}
