import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Db } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { openSqlite } from '../../db/sqlite.ts';
import { readListRequest } from '../../http/list.ts';
import { auditList, inPeriod } from './list.ts';

const directory = mkdtempSync(join(tmpdir(), 'kennel-plan-'));
let db: Db;
before(async () => {
  db = openSqlite(join(directory, 'kennel.db'));
  await migrate(db, 'main', 1);
});
after(async () => {
  await db.close();
  rmSync(directory, { recursive: true });
});

async function plan(sql: string, params: readonly (string | number | bigint | null | Uint8Array)[]) {
  const rows = await db.query<{ detail: string }>(`explain query plan ${sql}`, params);
  return rows.map(({ detail }) => detail).join('\n');
}

describe('the indexes of the audit log', () => {
  const indexOf: Record<string, RegExp> = {
    id: /SEARCH a USING INTEGER PRIMARY KEY/,
    created_at: /SEARCH a USING INDEX audit_log_created \(created_at=/,
    actor_id: /audit_log_actor_id \(actor_id=\?/,
    actor_name: /audit_log_actor_name \(actor_name=\?/,
    action: /audit_log_action \(action=\?/,
    request_id: /audit_log_request \(request_id=\?/,
    source_ip_address: /audit_log_address \(source_address=\?/,
    status: /audit_log_outcome \(outcome=\?/,
  };

  it('find what equals a value, for every column that can be filtered by, already in order', async () => {
    for (const [name, { type, sql }] of Object.entries(auditList.columns)) {
      const value = type === 'time' ? '2026-01-01T00:00:00Z' : '1';
      const problems: never[] = [];
      const list = readListRequest(auditList, { [name]: value }, new Set(), problems);
      assert.deepEqual(problems, []);
      const { where, params, orderBy } = inPeriod(list, {}, Date.now());
      const text = await plan(
        `select ${auditList.select} from ${auditList.from} where ${where} order by ${orderBy} limit 1000`,
        params,
      );
      assert.match(text, indexOf[name] ?? /no index is expected/, `${sql}: ${text}`);
      assert.doesNotMatch(text, /SCAN|TEMP B-TREE/, `${sql}: ${text}`);
    }
  });

  it('give the default order', async () => {
    const list = readListRequest(auditList, {}, new Set(), []);
    const { where, params, orderBy } = inPeriod(list, {}, Date.now());
    const text = await plan(`select a.id from audit_log a where ${where} order by ${orderBy}`, params);
    assert.match(text, /audit_log_created/);
    assert.doesNotMatch(text, /SCAN|TEMP B-TREE/);
  });

  it('find the unlinked records and the chain without reading the log', async () => {
    for (const [sql, index] of [
      [
        'select fields from audit_log where position is null order by id limit 5',
        /audit_log_(unlinked|position)/,
      ],
      [
        'select fields from audit_log where (position, id) > (1, 2) order by position, id',
        /audit_log_position/,
      ],
      [
        'select mac from audit_log where position is not null order by position desc limit 1',
        /audit_log_position/,
      ],
      ['select id from sessions where ended_at < 5 limit 5', /sessions_ended/],
      ['select id from sessions where expires_at < 5 limit 5', /sessions_expiry/],
    ] as const) {
      const text = await plan(sql, []);
      assert.match(text, index, text);
      assert.doesNotMatch(text, /TEMP B-TREE/, text);
    }
  });
});
