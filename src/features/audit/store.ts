import type { Look, Reader, Transaction } from '../../db/client.ts';
import type { Link, Mark, MarkName, RecordRow } from './chain.ts';

export interface LinkedRow extends RecordRow, Link {
  readonly linked_with: string | null;
}

const content =
  'id, created_at, actor_kind, actor_id, actor_name, action, outcome, fields, request_id, source_address';

/** Whoever links or deletes records holds this: the chain has one writer, whatever the number of processes. */
export function lockChain(db: Transaction): Promise<void> {
  return db.lock('kennel: audit chain');
}

/** Whether there is anything to link, or a mark to seal again after a change of the secret. */
export async function hasWork(db: Reader, fingerprint: string): Promise<boolean> {
  const found = await db.one(
    `select 1 as found from audit_marks where sealed_with <> $1
     union all select 1 as found from (select id from audit_log where position is null limit 1) unlinked limit 1`,
    [fingerprint],
  );
  return found !== undefined;
}

export const unlinkedLook: Look = {
  store: 'db',
  sql: 'select count(*) from (select id from audit_log where position is null limit 1) unlinked',
  due: 'while',
};

export function readUnlinked(db: Reader, limit: number): Promise<RecordRow[]> {
  return db.query<RecordRow>(`select ${content} from audit_log where position is null order by id limit $1`, [
    limit,
  ]);
}

export async function countUnlinked(db: Reader): Promise<number> {
  const row = await db.one<{ total: number }>(
    'select cast(count(*) as bigint) as total from audit_log where position is null',
  );
  return row?.total ?? 0;
}

export async function writeLink(db: Transaction, id: number, link: Link, linkedWith: string): Promise<void> {
  await db.execute('update audit_log set position = $2, mac = $3, linked_with = $4 where id = $1', [
    id,
    link.position,
    link.mac,
    linkedWith,
  ]);
}

/** The chain never gets this far by itself, so a record beyond it is no place to go on from. */
const farthest = 2 ** 52;

export function findLastLink(db: Reader): Promise<Link | undefined> {
  return db.one<Link>(
    "select position, coalesce(mac, '') as mac from audit_log where position <= $1 order by position desc limit 1",
    [farthest],
  );
}

/** The next linked records; `afterId` settles what a dropped index would allow: two at one place. */
export function readLinked(
  db: Reader,
  afterPosition: number,
  afterId: number,
  limit: number,
): Promise<LinkedRow[]> {
  return db.query<LinkedRow>(
    `select ${content}, position, coalesce(mac, '') as mac, linked_with from audit_log
     where (position, id) > (cast($1 as bigint), cast($2 as bigint)) and position <= $3
     order by position, id limit $4`,
    [afterPosition, afterId, farthest, limit],
  );
}

/** Records that claim a place which is not part of the chain any more, or never was. */
export function readOutside(
  db: Reader,
  upTo: number,
  limit: number,
): Promise<{ id: number; position: number | bigint }[]> {
  return db.query(
    'select id, position from audit_log where position <= $1 or position > $2 order by position, id limit $3',
    [upTo, farthest, limit],
  );
}

export async function deleteLinked(db: Transaction, from: number, to: number): Promise<number> {
  return db.execute('delete from audit_log where position between $1 and $2', [from, to]);
}

export function findMark(db: Reader, name: MarkName): Promise<Mark | undefined> {
  return db.one<Mark>('select position, mac, sealed_with, seal from audit_marks where name = $1', [name]);
}

export async function putMark(db: Transaction, name: MarkName, mark: Mark): Promise<void> {
  await db.execute(
    `insert into audit_marks (name, position, mac, sealed_with, seal) values ($1, $2, $3, $4, $5)
     on conflict (name) do update set position = excluded.position, mac = excluded.mac,
       sealed_with = excluded.sealed_with, seal = excluded.seal`,
    [name, mark.position, mark.mac, mark.sealed_with, mark.seal],
  );
}

export async function findNewestRecordAt(db: Reader): Promise<number | undefined> {
  const row = await db.one<{ created_at: number }>(
    'select created_at from audit_log order by created_at desc limit 1',
  );
  return row?.created_at;
}
