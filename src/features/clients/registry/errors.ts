import type { Reader, Transaction } from '../../../db/client.ts';

/** So that one collector in trouble can't fill the store. */
const keptPerClient = 100;

export interface ClientError {
  /** Epoch milliseconds. */
  readonly at: number;
  /** One line. */
  readonly message: string;
}

/** Keeps what a collector reported, and forgets what it reported long before. */
export async function insertClientError(
  db: Transaction,
  clientId: string,
  message: string,
  now: number,
): Promise<void> {
  await db.execute('insert into client_errors (client_id, at, message) values ($1, $2, $3)', [
    clientId,
    now,
    message,
  ]);
  await db.execute(
    `delete from client_errors where client_id = $1 and id <= (
       select id from client_errors where client_id = $1 order by id desc limit 1 offset ${keptPerClient})`,
    [clientId],
  );
}

/** What a collector reported from one moment to another, both included, in that order. */
export function listErrorsBetween(
  db: Reader,
  clientId: string,
  from: number,
  to: number,
): Promise<ClientError[]> {
  return db.query<ClientError>(
    'select at, message from client_errors where client_id = $1 and at >= $2 and at <= $3 order by id',
    [clientId, from, to],
  );
}
