import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

let server: TestServer;
let token: string;

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
});
after(() => server.stop());

describe('limits to environments', () => {
  const create = (more: object) =>
    server.call('POST', '/api/v2/bloodhound-users', {
      token,
      body: { principal: `limited ${Math.random()}`, roles: [3], secret: 'Long enough 1!', ...more },
    });

  it('are taken while they limit nothing', async () => {
    for (const environment_targeted_access_control of [
      null,
      {},
      { environments: null },
      { environments: [] },
    ]) {
      const { status, body, text } = await create({
        all_environments: true,
        environment_targeted_access_control,
      });
      assert.equal(status, 200, text);
      assert.deepEqual(
        [body.data.all_environments, body.data.environment_targeted_access_control],
        [true, []],
      );
    }
  });

  it('are refused where the user would see more than was asked for', async () => {
    const environments = [{ environment_id: 'S-1-5-21-1' }];
    for (const [more, context] of [
      [{ all_environments: false }, 'all_environments'],
      [
        { environment_targeted_access_control: { environments } },
        'environment_targeted_access_control.environments',
      ],
    ] as const) {
      const { status, body } = await create(more);
      assert.deepEqual([status, body.errors[0].context], [400, context]);
    }
  });
});
