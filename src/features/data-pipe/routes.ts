import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { NoContent, type Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import { startClear } from './clear.ts';
import { ClearRequest, confirmation, readClearRequest } from './clear-request.ts';
import { readStatus, Status, toStatusView } from './status.ts';

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
      'Accepted at once and done in the background; meanwhile `GET /api/v2/datapipe/status` is `purging`. What comes in after the request stays. The audit log tells first what is to be deleted and by whom, then how much it was; it is never cleared itself.',
    rules: [
      'At least one thing to delete is chosen',
      '`deleteCollectedGraphData` and `deleteSourceKinds` exclude each other',
    ],
    access: { permission: 'db.Wipe' },
    body: ClearRequest,
    bodyExample: { confirm: confirmation, deleteCollectedGraphData: true },
    status: 202,
    answer: Struct({
      data: Struct({ id: Type.Integer(), status: Type.Enum(['accepted']) }),
    }),
    answerExample: { data: { id: 1, status: 'accepted' } },
    emptyAnswer: 'Accepted; a body without `confirm` is answered with nothing',
    errors: { bad_request: `to delete for good, confirm must be the word "${confirmation}"` },
    handle: async ({ db, graph, body, origin }) => {
      const wish = readClearRequest(body);
      const id = await startClear({ db, graph }, wish, origin, deps.clock());
      return body.confirm === undefined ? new NoContent() : { data: { id, status: 'accepted' as const } };
    },
  });
}
