import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';
import { requestAnalysis } from './requests.ts';

export function registerAnalysis(register: Register, deps: Pick<Deps, 'clock'>): void {
  register({
    id: 'RequestAnalysis',
    method: 'PUT',
    url: '/api/v2/analysis',
    tag: 'Graph',
    summary: 'Ask for an analysis of the graph',
    description:
      'Accepted at once and done in the background; `GET /api/v2/datapipe/status` tells how far it is. Asked for again while one runs, there is one more after it.',
    access: { permission: 'graphdb.Write' },
    status: 202,
    answer: Empty,
    handle: async ({ db, origin }) => {
      await requestAnalysis(deps, db, origin);
    },
  });
}
