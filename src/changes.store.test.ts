import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../test/server/harness.ts';
import { passingTime } from '../test/server/passing-time.ts';
import { Changes } from './changes.ts';

const pass = passingTime();

describe('Changes on a real store', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });

  after(() => server.stop());

  it('tell the process that changed something at once, and every other within half a second', async () => {
    const [here, there] = [new Changes(server.deps.db), new Changes(server.deps.db)];
    const [epochHere, epochThere] = [await here.epoch(), await there.epoch()];
    await server.deps.db.transaction((db) => here.announce(db));
    assert.notEqual(await here.epoch(), epochHere);
    pass(500);
    assert.notEqual(await there.epoch(), epochThere);
  });

  it('tell nobody about a change that was undone', async () => {
    const [here, there] = [new Changes(server.deps.db), new Changes(server.deps.db)];
    const [epochHere, epochThere] = [await here.epoch(), await there.epoch()];
    const undone = server.deps.db.transaction(async (db) => {
      await here.announce(db);
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    pass(500);
    assert.deepEqual([await here.epoch(), await there.epoch()], [epochHere, epochThere]);
  });

  it('refuse to work without their counter', async () => {
    const changes = new Changes(server.deps.db);
    await server.deps.db.transaction((db) => db.execute('delete from change_counter'));
    await assert.rejects(changes.epoch(), /the change counter is missing/);
  });
});
