import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadAnswer, ThreadRequest } from './slow-reads.ts';
import { SqliteConnection, type Table } from './sqlite-connection.ts';

/** The other end of `slow-reads.ts`: one connection that only reads, one statement after the other. */
const port = parentPort;
if (port === null) throw new Error('this file is a thread of the store and no program');
const connection = new SqliteConnection((workerData as { file: string }).file, true);

port.on('message', (request: ThreadRequest) => {
  port.postMessage(answer(request));
  // Nothing more is heard, so the thread ends by itself.
  if (request === 'close') port.close();
});

function answer(request: ThreadRequest): ThreadAnswer {
  try {
    return { table: perform(request) };
  } catch (error) {
    return { error: described(error) };
  }
}

function perform(request: ThreadRequest): Table {
  if (typeof request === 'string') {
    if (connection.inTransaction) connection.exec('rollback');
    if (request === 'close') connection.close();
    return { columns: [], rows: [] };
  }
  if (!connection.inTransaction) connection.exec('begin');
  return connection.table(request.sql, request.params);
}

/** An error that is posted loses its own members, and what went wrong is told by them. */
function described(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack, code, errcode, sqliteExtendedCode } = error as Error & Record<string, unknown>;
  return { message, stack, code, errcode, sqliteExtendedCode };
}
