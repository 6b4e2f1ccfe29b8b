import type { Origin } from '../../caller.ts';
import type { Db, Reader } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { answeredRequest } from '../../graph/analysis/store.ts';
import { recordAudit } from '../audit/index.ts';
import { findNewest, insertRequest, readState } from './store.ts';

/**
 * Somebody asks for an analysis. The next run answers all that was asked before it began; asked while one runs, there
 * is one more after it.
 */
export function requestAnalysis(deps: Pick<Deps, 'clock'>, db: Db, origin: Origin): Promise<number> {
  return db.transaction(async (db) => {
    const now = deps.clock();
    const id = await insertRequest(db, origin, 'request', now);
    await recordAudit(db, origin, now, { action: 'RequestAnalysis', fields: { request_id: id } });
    return id;
  });
}

/** How far requests have come. The two stores may be two files, so the published run itself says what it answered. */
export interface Answers {
  /** All up to this one have their results. */
  readonly answered: number;
  /** All up to this one that have none never will. */
  readonly givenUp: number;
}

export async function readAnswers(db: Reader, graph: Reader): Promise<Answers> {
  const { given_up: givenUp } = await readState(db);
  return { answered: await answeredRequest(graph), givenUp };
}

export type Answer = 'analysed' | 'failed' | 'open';

export function answerTo(requestId: number, { answered, givenUp }: Answers): Answer {
  if (requestId <= answered) return 'analysed';
  return requestId <= givenUp ? 'failed' : 'open';
}

/** The newest request that nobody has answered; a run that starts now takes all up to it. */
export function findOpenRequest(db: Reader, { answered, givenUp }: Answers): Promise<number | undefined> {
  return findNewest(db, Math.max(answered, givenUp));
}

/** What follows from something else asks in that one's transaction, with that one's audit record. */
export { insertRequest as askFor };
