import { randomUUID } from 'node:crypto';
import type { Reader, Transaction } from '../../../db/client.ts';

/** A collector: a program that asks for jobs and sends what it found. */
export interface ClientRow {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly ip_address: string;
  readonly hostname: string;
  readonly configured_user: string;
  readonly user_sid: string | null;
  readonly version: string;
  readonly domain_controller: string | null;
  readonly last_checkin: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

const columns = [
  'id',
  'name',
  'type',
  'ip_address',
  'hostname',
  'configured_user',
  'user_sid',
  'version',
  'domain_controller',
  'last_checkin',
  'created_at',
  'updated_at',
] as const;
const selectClients = `select ${columns.join(', ')} from clients`;
/** For statements that call the table `c`. */
export const clientSelect = columns.map((column) => `c.${column}`).join(', ');

export function findClient(db: Reader, id: string): Promise<ClientRow | undefined> {
  return db.one<ClientRow>(`${selectClients} where id = $1`, [id]);
}

export function findClientByName(db: Reader, name: string): Promise<ClientRow | undefined> {
  return db.one<ClientRow>(`${selectClients} where name = $1`, [name]);
}

export type NewClient = Pick<ClientRow, 'name' | 'type'> &
  Partial<
    Pick<
      ClientRow,
      'id' | 'ip_address' | 'hostname' | 'configured_user' | 'version' | 'domain_controller' | 'last_checkin'
    >
  >;

export async function insertClient(db: Transaction, client: NewClient, now: number): Promise<string> {
  const id = client.id ?? randomUUID();
  await db.execute(
    `insert into clients (id, name, type, ip_address, hostname, configured_user, version, domain_controller, last_checkin,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
    [
      id,
      client.name,
      client.type,
      client.ip_address ?? '',
      client.hostname ?? '',
      client.configured_user ?? '',
      client.version ?? '',
      client.domain_controller ?? null,
      client.last_checkin ?? null,
      now,
    ],
  );
  return id;
}

/** A collector that was heard of is alive. */
export async function recordCheckin(db: Transaction, id: string, now: number): Promise<void> {
  await db.execute('update clients set last_checkin = $2 where id = $1', [id, now]);
}

/** The collector as it is now; nobody else can change or delete it until the transaction ends. */
export function lockClient(db: Transaction, id: string): Promise<ClientRow | undefined> {
  return db.one<ClientRow>(
    `update clients set updated_at = updated_at where id = $1 returning ${columns.join(', ')}`,
    [id],
  );
}

/** What a collector says of the machine it runs on. */
export type Host = Pick<ClientRow, 'ip_address' | 'hostname' | 'configured_user' | 'user_sid' | 'version'>;
export type ClientChange = Partial<Host & Pick<ClientRow, 'name' | 'domain_controller'>>;

export async function updateClient(
  db: Transaction,
  client: ClientRow,
  change: ClientChange,
  now: number,
): Promise<ClientRow> {
  const entries = Object.entries({ ...change, updated_at: now });
  const assignments = entries.map(([column], index) => `${column} = $${index + 2}`).join(', ');
  await db.execute(`update clients set ${assignments} where id = $1`, [
    client.id,
    ...entries.map(([, value]) => value),
  ]);
  return { ...client, ...change, updated_at: now };
}

/** Its tokens, sessions and schedules must be gone; its jobs and what it reported stay. */
export async function deleteClient(db: Transaction, id: string): Promise<void> {
  await db.execute('delete from clients where id = $1', [id]);
}
