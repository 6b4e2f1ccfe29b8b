import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDeps } from '../../src/bootstrap.ts';
import { readSettings } from '../../src/config.ts';
import { openStores } from '../../src/db/open.ts';
import type { Deps } from '../../src/deps.ts';
import { createLog } from '../../src/log.ts';
import { temporaryStore } from '../server/harness.ts';
import { type KennelProcess, runKennel, runKennelMany, serveKennel, within } from '../server/processes.ts';

const secret = Buffer.alloc(32, 1).toString('base64');
const nextSecret = Buffer.alloc(32, 2).toString('base64');

describe('kennel audit', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let env: Record<string, string>;
  let server: KennelProcess;
  let deps: Deps;
  let head: string;

  before(async () => {
    temporary = await temporaryStore();
    env = { ...temporary.env, KENNEL_SECRET: secret };
    server = await serveKennel({ ...env, KENNEL_LOG_LEVEL: 'info' });
    const settings = readSettings(env);
    deps = await createDeps(openStores(settings), settings, createLog(settings), () => '');
  });
  after(async () => {
    await server.end('SIGKILL');
    await deps.db.close();
    await deps.graph.close();
    await temporary.remove();
  });

  const verify = (...args: string[]) => runKennel(['audit', 'verify', ...args], env);
  const linked = (count: number) =>
    within(20_000, `there are not ${count} linked records`, async () => {
      const row = await deps.db.one<{ position: number }>(
        'select position from audit_log where position = $1',
        [count],
      );
      return row && true;
    });
  const sql = (text: string) => deps.db.transaction((db) => db.execute(text));

  it('prints the head of the chain, which a running server makes', async () => {
    await linked(1);
    const issued = await runKennelMany(Array(3).fill(['token']), env);
    assert.deepEqual(
      issued.map(({ code }) => code),
      [0, 0, 0],
    );
    await linked(4);
    const { code, stdout, stderr } = await runKennel(['audit', 'head'], env);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^4:[0-9a-f]{64}\n$/);
    head = stdout.trim();
    const json = JSON.parse((await runKennel(['audit', 'head', '--json'], env)).stdout);
    assert.equal(`${json.position}:${json.mac}`, head);
  });

  it('verifies the log beside the server', async () => {
    const { code, stdout, stderr } = await verify('--head', head);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^checked 4 records, positions 1 to 4; not linked yet: 0\nhead 4:/);
    const json = await verify('--json');
    assert.equal(json.code, 0);
    const { ok, checked, findings, head: last } = JSON.parse(json.stdout);
    assert.deepEqual([ok, checked, findings, last], [true, 4, [], head]);
    assert.ok(!json.stdout.includes(secret));
  });

  it('refuses a head that is none', async () => {
    const wrong = ['4', '4:xyz', `0:${'a'.repeat(64)}`];
    const calls = wrong.map((text) => ['audit', 'verify', '--head', text]);
    for (const { code, stdout, stderr } of await runKennelMany(calls, env)) {
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^kennel: --head must be POSITION:MAC/);
    }
  });

  it('logs the head when the server stops, with everything linked', async () => {
    const issued = await runKennel(['token'], env);
    assert.equal(issued.code, 0);
    const { code, stderr } = await server.end();
    assert.equal(code, 0);
    const last = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    assert.equal(last.msg, 'audit log head');
    const now = await runKennel(['audit', 'head'], env);
    assert.equal(now.stdout, `${last.position}:${last.mac}\n`);
    assert.equal(last.position, 5);
    assert.ok(!stderr.includes(secret));
  });

  it('says what is not linked yet', async () => {
    assert.equal((await runKennel(['token'], env)).code, 0);
    const { code, stdout } = await verify();
    assert.equal(code, 0);
    assert.match(stdout, /not linked yet: 1\n/);
  });

  it('asks for the former secret after a change', async () => {
    const rotated = { ...env, KENNEL_SECRET: nextSecret, KENNEL_SECRET_PREVIOUS: secret };
    const again = await serveKennel(rotated);
    await linked(6);
    await again.end();
    assert.equal((await runKennel(['audit', 'verify', '--head', head], rotated)).code, 0);
    env = { ...env, KENNEL_SECRET: nextSecret };
    const { code, stdout, stderr } = await verify();
    assert.equal(code, 5);
    assert.match(stdout, /^positions 1 to 5 were linked with a secret that was not given\n/);
    const json = JSON.parse((await verify('--json')).stdout);
    assert.deepEqual(
      [json.ok, json.unknown_key, json.unknown_key_positions, json.findings],
      [false, 5, { from: 1, to: 5 }, []],
    );
    assert.match(stderr, /^kennel: 5 records were linked with another secret .* KENNEL_SECRET_PREVIOUS\n$/);
    env = rotated;
  });

  it('ends with 4, and never with 5, when a secret is named that nobody has used', async () => {
    const edit = "update audit_log set actor_name = 'mallory', linked_with = 'deadbeef'";
    const attacks = [
      [`${edit} where position = 6`],
      [`${edit} where position <= 3`],
      [
        "insert into audit_marks select cast('anchor' as text), position, mac, 'deadbeef', '00' from audit_log where position = 4",
        'delete from audit_log where position <= 4',
      ],
      [
        "update audit_marks set position = 5, sealed_with = 'deadbeef', mac = (select mac from audit_log where position = 5) where name = 'head'",
        'delete from audit_log where position > 5',
      ],
      ['delete from audit_log', 'delete from audit_marks'],
    ];
    type Row = Record<string, string | number>;
    const tables = ['audit_log', 'audit_marks'];
    const kept = await Promise.all(tables.map((table) => deps.db.query<Row>(`select * from ${table}`)));
    for (const attack of attacks) {
      for (const statement of attack) await sql(statement);
      assert.equal((await verify()).code, 4, attack[0]);
      await deps.db.transaction(async (db) => {
        for (const [index, table] of tables.entries()) {
          const rows = kept[index] ?? [];
          await db.execute(`delete from ${table}`);
          await db.bulk(table, Object.keys(rows[0] ?? {}), rows.map(Object.values));
        }
      });
    }
    assert.equal((await verify()).code, 0);
  });

  it('ends with 4 when a record was edited, and names it', async () => {
    await sql("update audit_log set actor_name = 'mallory' where position = 2");
    const { code, stdout, stderr } = await verify();
    assert.equal(code, 4);
    assert.match(stdout, /^record \d+ at position 2 does not fit its MAC: it was edited, moved or put in\n/);
    assert.equal(stderr, 'kennel: the audit log is not as it was written\n');
    const json = JSON.parse((await verify('--json')).stdout);
    assert.deepEqual([json.ok, json.finding_count, json.findings[0].position], [false, 1, 2]);
  });

  it('refuses to tell a head that is not genuine', async () => {
    await sql("update audit_marks set position = 3 where name = 'head'");
    const { code, stdout, stderr } = await runKennel(['audit', 'head'], env);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /^kennel: the stored head of the audit log is not genuine/);
  });
});
