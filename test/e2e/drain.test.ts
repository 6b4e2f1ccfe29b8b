import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { temporaryStore } from '../server/harness.ts';
import { until } from '../server/pipeline.ts';
import { serveKennel } from '../server/processes.ts';
import { RawConnection, requestText } from '../server/raw-http.ts';

const rounds = 3;
const callersOfEachKind = 15;

interface Tally {
  /** By status, of requests that were sent after the signal. */
  readonly answers: Map<number, number>;
  /** Connections that failed, and requests that were never answered. */
  readonly failures: string[];
}

/** Calls as fast as it can: on one connection as long as the server lets it, or each time on a new one. */
class Load {
  readonly tally: Tally = { answers: new Map(), failures: [] };
  isSignalled = false;
  answered = 0;
  /** A balancer that was told that the server is not ready sends no one there any more. */
  mayConnect = true;
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async call(keepsAlive: boolean): Promise<void> {
    let connection: RawConnection | undefined;
    for (;;) {
      if (connection === undefined) {
        if (!this.mayConnect) return;
        connection = await RawConnection.open(this.#url).catch((error) => this.#fail(error));
        if (connection === undefined) return;
      }
      const wasSignalled = this.isSignalled;
      connection.send(requestText('GET', '/api/version', keepsAlive ? [] : [['Connection', 'close']]));
      const answer = await connection.read().catch((error) => this.#fail(error));
      if (answer === undefined) return;
      this.answered += 1;
      if (wasSignalled)
        this.tally.answers.set(answer.status, (this.tally.answers.get(answer.status) ?? 0) + 1);
      if (answer.headers.connection !== 'close') continue;
      await connection.closed;
      if (connection.failure !== undefined) this.#fail(connection.failure);
      connection = undefined;
    }
  }

  /** Asks as a balancer does, until it is told no. */
  async probe(): Promise<void> {
    while (this.mayConnect) {
      const connection = await RawConnection.open(this.#url);
      connection.send(requestText('GET', '/health/ready', [['Connection', 'close']]));
      this.mayConnect = (await connection.read()).status === 200;
      connection.close();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #fail(error: Error): undefined {
    this.tally.failures.push(error.message);
  }
}

/** By the operation itself, which wants a token, or by the server that is about to end. */
function assertAnswered(answers: Tally['answers']): void {
  const others = [...answers.keys()].filter((status) => status !== 401 && status !== 503);
  assert.deepEqual(others, []);
}

describe('SIGTERM at saturation', { timeout: 240_000 }, () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  before(async () => {
    temporary = await temporaryStore();
  });
  after(() => temporary.remove());

  async function round(drainSeconds: string, callers: (load: Load) => Promise<unknown>[]): Promise<Tally> {
    const server = await serveKennel({ ...temporary.env, KENNEL_DRAIN_SECONDS: drainSeconds });
    const load = new Load(server.url);
    const calling = callers(load);
    await until(() => load.answered >= 20 * callersOfEachKind, 'load');
    load.isSignalled = true;
    const ended = server.end('SIGTERM');
    await Promise.all(calling);
    assert.equal((await ended).code, 0);
    return load.tally;
  }
  const many = (count: number, call: () => Promise<void>) => Array.from({ length: count }, call);

  it('answers every request, on open and on new connections, until the listener is closed', async () => {
    for (let n = 0; n < rounds; n += 1) {
      const { answers, failures } = await round('1', (load) => [
        ...many(callersOfEachKind, () => load.call(true)),
        ...many(callersOfEachKind, () => load.call(false)),
        load.probe(),
      ]);
      assert.deepEqual(failures, []);
      assertAnswered(answers);
      assert.ok((answers.get(401) ?? 0) >= callersOfEachKind, 'it was not saturated');
    }
  });

  it('answers every request on open connections also without a drain', async () => {
    for (let n = 0; n < rounds; n += 1) {
      const { answers, failures } = await round('0', (load) => [
        ...many(callersOfEachKind, () => load.call(true)),
        // Nobody begins anew: the listener closes at once.
        until(() => load.answered >= 10 * callersOfEachKind, 'load').then(() => {
          load.mayConnect = false;
        }),
      ]);
      assert.deepEqual(failures, []);
      const total = [...answers.values()].reduce((sum, count) => sum + count, 0);
      assert.ok(total >= 1, 'it was not saturated');
      assertAnswered(answers);
    }
  });
});

describe('a second signal', () => {
  it('ends the process at once, with 1', async () => {
    const { env, remove } = await temporaryStore();
    const server = await serveKennel({ ...env, KENNEL_DRAIN_SECONDS: '600' });
    const first = server.end('SIGTERM');
    await until(async () => (await fetch(`${server.url}/health/ready`)).status === 503, 'the first signal');
    await server.end('SIGINT');
    assert.equal((await first).code, 1);
    await remove();
  });
});
