import { Server } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type HttpServer, shuttingDownError } from '../http/server.ts';

/** How long the last answers may take to be sent. */
const answerMs = 1000;
/** A caller that was answered just before may be about to send its next request; closing would reset that. */
const restMs = 1000;
const lookEveryMs = 20;
/** What was taken last of all has at least this long, or the whole grace if that is shorter. */
const leastGraceMs = 5000;

export interface StopTimes {
  /** How long requests are still served while `/health/ready` says no. */
  readonly drainMs: number;
  /** What still runs this long after the stop began is answered with 503; a commit under way finishes. */
  readonly graceMs: number;
}

/** Answers what was taken, tells every caller to come back on another connection, and closes the listener last. */
export async function finishRequests(server: HttpServer, { drainMs, graceMs }: StopTimes): Promise<void> {
  const http = server.app.server;
  server.shuttingDown = true;
  if (drainMs > 0) await sleep(drainMs);
  server.isClosing = true;
  await quietTurn(http);
  // Node's own way to close an HTTP server closes idle connections at once, also when a request is on its way.
  const closed = new Promise<void>((resolve) => Server.prototype.close.call(http, () => resolve()));
  const remainingMs = Math.max(graceMs - drainMs, Math.min(graceMs, leastGraceMs));
  // After the turn that has read whatever had arrived.
  const tidyUp = setInterval(() => setImmediate(() => server.connections.closeResting(restMs)), lookEveryMs);
  const giveUp = setTimeout(() => {
    for (const deadline of server.underWay) deadline.cancel(shuttingDownError());
  }, remainingMs);
  // A body that never ends is nobody's operation yet.
  const hangUp = setTimeout(() => server.connections.closeAll(), remainingMs + answerMs);
  await closed;
  clearInterval(tidyUp);
  clearTimeout(giveUp);
  clearTimeout(hangUp);
  await server.app.close();
}

/**
 * Connections that the system has taken and Node has not are reset when the listener closes. Node takes all there
 * are once a turn: so this waits for a turn that was short and brought none, though not for ever.
 */
async function quietTurn(http: Server): Promise<void> {
  let isNew = false;
  const note = () => {
    isNew = true;
  };
  http.on('connection', note);
  for (let turns = 0; turns < 200; turns += 1) {
    isNew = false;
    const begunAt = performance.now();
    await nextTurn();
    if (!isNew && performance.now() - begunAt < 1) break;
  }
  http.off('connection', note);
}
