import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeClient, makeToken, makeUser, type RoleName } from '../server/builders.ts';
import { document } from '../server/conformance.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';

/**
 * Who may do what, asked of a real server for every operation of the committed document. The table is there to
 * be read in a review: whoever changes an access sees what it opens. `UPDATE_AUTHORISATION=1` writes it anew.
 */
const file = new URL('authorisation.txt', import.meta.url);
const roles: RoleName[] = ['Administrator', 'Power User', 'User', 'Auditor', 'Read-Only', 'Upload-Only'];
const columns = [...roles, 'collector', 'no token'];

let server: TestServer;
const callers = new Map<string, { kind: 'user' | 'client'; caller: MadeUser }>();

before(async () => {
  server = await startTestServer();
  for (const role of roles) callers.set(role, { kind: 'user', caller: await makeUser(server.deps, role) });
  callers.set('collector', { kind: 'client', caller: await makeClient(server.deps) });
});
after(() => server.stop());

/** `yes` once the caller is past every check of who they are: what follows is about the request. */
async function ask(method: string, path: string, column: string): Promise<string> {
  const known = callers.get(column);
  // A session of its own for every call: one of the operations ends it.
  const token = known && (await makeToken(server.deps, known.kind, known.caller.id));
  const { status } = await server.call(method, path, { token });
  if (status === 401 || status === 403) return String(status);
  assert.ok(status < 500 || status === 501, `${method} ${path} answered ${status}`);
  return 'yes';
}

async function table(): Promise<string> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  const names = operations.map(({ method, path }) => `${method.padEnd(6)} ${path}`);
  const width = Math.max(...names.map((name) => name.length));
  const row = (name: string, cells: readonly string[]) =>
    [name.padEnd(width), ...cells.map((cell, index) => cell.padEnd(Math.max(4, columns[index]?.length ?? 0)))]
      .join('  ')
      .trimEnd();
  const lines = [row('', columns)];
  for (const [index, { method, path }] of operations.entries()) {
    const cells: string[] = [];
    for (const column of columns) cells.push(await ask(method, path.replace(/\{\w+\}/g, '987654'), column));
    lines.push(row(names[index] ?? '', cells));
  }
  return `${lines.join('\n')}\n`;
}

describe('the authorisation of every operation', () => {
  it('is what test/contract/authorisation.txt says', async () => {
    const found = await table();
    if (process.env.UPDATE_AUTHORISATION === '1') writeFileSync(file, found);
    const expected = readFileSync(file, 'utf8');
    assert.deepEqual(
      found.split('\n'),
      expected.split('\n'),
      'see what changed; if it is meant, run this test with UPDATE_AUTHORISATION=1',
    );
  });
});
