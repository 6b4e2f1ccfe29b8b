import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { permissions } from '../../caller.ts';
import { roles } from '../auth/index.ts';

let server: TestServer;
let reader: MadeUser;
const get = (path: string, token = reader.token) => server.call('GET', `/api/v2${path}`, { token });
interface FoundRole {
  id: number;
  name: string;
  description: string;
  permissions: { authority: string; name: string }[];
}
const fullName = ({ authority, name }: { authority: string; name: string }) => `${authority}.${name}`;
const namesOf = (rows: { name: string }[]) => rows.map(({ name }) => name);

before(async () => {
  server = await startTestServer();
  reader = await makeUser(server.deps, 'Read-Only');
});
after(() => server.stop());

describe('GET /api/v2/roles', () => {
  it('answers 200 with the six roles and exactly their permissions', async () => {
    const { status, body } = await get('/roles');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body.data), ['roles']);
    const found = body.data.roles.map((role: FoundRole) => ({
      id: role.id,
      name: role.name,
      description: role.description,
      permissions: role.permissions.map(fullName).sort(),
    }));
    assert.deepEqual(
      found,
      roles.map((role) => ({ ...role, permissions: [...role.permissions].sort() })),
    );
  });

  it('answers 200 filtered, sorted and paged', async () => {
    const read = async (query: string) => namesOf((await get(`/roles?${query}`)).body.data.roles);
    assert.deepEqual(await read('name=~eq:user'), ['User', 'Power User']);
    assert.deepEqual(await read('description=eq:Used for integrations'), ['Read-Only']);
    assert.deepEqual(await read('id=gt:4&sort_by=-name'), ['Power User', 'Auditor']);
    assert.deepEqual(await read('sort_by=name&skip=1&limit=2'), ['Auditor', 'Power User']);
    assert.deepEqual(await read('deleted_at=neq:null'), []);
  });

  it('answers 403 without the permission auth.ManageSelf', async () => {
    const { token } = await makeUser(server.deps, 'Upload-Only');
    for (const path of ['/roles', '/roles/1', '/permissions', '/permissions/1'])
      assertEnvelope(await get(path, token), 403);
  });
});

describe('GET /api/v2/roles/:role_id', () => {
  it('answers 200 with the role as it is in the list', async () => {
    const listed = (await get('/roles')).body.data.roles;
    for (const role of listed) assert.deepEqual((await get(`/roles/${role.id}`)).body, { data: role });
  });

  it('answers 400 for an id that is no number, and 404 for one of nothing', async () => {
    assertEnvelope(await get('/roles/Auditor'), 400);
    const [problem] = assertEnvelope(await get('/roles/7'), 404);
    assert.deepEqual(problem, { context: 'role_id', message: 'there is no role 7' });
  });
});

describe('GET /api/v2/permissions', () => {
  it('answers 200 with every permission', async () => {
    const { status, body } = await get('/permissions');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body.data), ['permissions']);
    assert.deepEqual(body.data.permissions.map(fullName).sort(), [...permissions].sort());
  });

  it('answers 200 filtered by authority and sorted by several columns', async () => {
    const { body } = await get('/permissions?authority=eq:graphdb&sort_by=authority&sort_by=-name');
    assert.deepEqual(namesOf(body.data.permissions), [
      'Write',
      'Read',
      'Mutate',
      'IngestRead',
      'IngestManage',
    ]);
    assertEnvelope(await get('/permissions?description=eq:x'), 400);
  });
});

describe('GET /api/v2/permissions/:permission_id', () => {
  it('answers 200 with the permission as it is in the list', async () => {
    const [first] = (await get('/permissions?sort_by=-id&limit=1')).body.data.permissions;
    assert.deepEqual((await get(`/permissions/${first.id}`)).body, { data: first });
  });

  it('answers 404 for an id of nothing', async () => {
    for (const id of [0, -1, 99]) {
      const [problem] = assertEnvelope(await get(`/permissions/${id}`), 404);
      assert.equal(problem?.message, `there is no permission ${id}`);
    }
  });
});
