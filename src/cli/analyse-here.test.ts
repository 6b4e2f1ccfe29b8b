import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, store, type TestServer } from '../../test/server/harness.ts';
import { commandLine } from '../caller.ts';
import { lockDataDir } from '../db/server-lock.ts';
import { answerTo, readAnswers, requestAnalysis } from '../features/analysis/index.ts';
import { insertGraph } from '../graph/store.ts';
import { analyseUntil } from './analyse-here.ts';
import { PercentLine } from './progress.ts';

const domain = 'S-1-5-21-1-2-3';

describe('an analysis by a command', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    const properties = { domainsid: domain, collected: true };
    const nodes = [{ objectId: domain, kinds: ['Domain', 'Base'], name: 'CORP.LOCAL', properties }];
    await server.deps.graph.transaction((graph) => insertGraph(graph, nodes, [], server.now()));
  });
  after(() => server.stop());

  /** Asks, and analyses until there is an answer or the command is canceled; true when there is one. */
  async function analyse(isCanceled: () => boolean): Promise<boolean> {
    const { deps } = server;
    const requestId = await requestAnalysis(deps, deps.db, commandLine);
    const isDone = async () => answerTo(requestId, await readAnswers(deps.db, deps.graph)) !== 'open';
    await analyseUntil(deps, new PercentLine(false), { isServed: false, isDone, isCanceled });
    return isDone();
  }

  it('leaves nothing of older runs behind, as there may never be a server to do it', async () => {
    for (let run = 0; run < 3; run += 1) assert.equal(await analyse(() => false), true);
    for (const table of ['derived_edges', 'analysis_zones', 'node_zones']) {
      const runs = await server.deps.graph.query(`select distinct analysis_id from ${table}`);
      assert.equal(runs.length, 1, table);
    }
  });

  it('that is canceled ends even while another process has the turn', async () => {
    const other =
      store === 'sqlite' ? lockDataDir(server.deps.settings.dataDir, '', 'analysis.lock') : undefined;
    let looks = 0;
    try {
      // On PostgreSQL nobody waits for a lock: there the run itself is canceled.
      assert.equal(await analyse(() => ++looks > 3), false);
    } finally {
      other?.release();
    }
    assert.equal(await analyse(() => false), true);
  });
});
