import type { Db, Transaction } from '../../src/db/client.ts';

/**
 * The store as a process sees it that is killed in a transaction: after so many of its statements, and before
 * the commit at the latest.
 */
export function killedStore(db: Db, statements: number): Db {
  const killed = () => new Error('killed');
  return {
    dialect: db.dialect,
    query: (...args) => db.query(...args),
    one: (...args) => db.one(...args),
    snapshot: (read) => db.snapshot(read),
    slowly: (read) => db.slowly(read),
    transaction: (write) =>
      db.transaction(async (db) => {
        await write(dying(db, statements, killed));
        throw killed();
      }),
    within: (deadline) => killedStore(db.within(deadline), statements),
    deadline: db.deadline,
    onCommit: (listener) => db.onCommit(listener),
    close: () => db.close(),
  };
}

function dying(db: Transaction, statements: number, killed: () => Error): Transaction {
  let left = statements;
  const next = () => {
    if (left === 0) throw killed();
    left -= 1;
    return db;
  };
  return {
    dialect: db.dialect,
    query: async (...args) => next().query(...args),
    one: async (...args) => next().one(...args),
    execute: async (...args) => next().execute(...args),
    bulk: async (...args) => next().bulk(...args),
    lock: async (name) => next().lock(name),
    afterCommit: (action) => db.afterCommit(action),
  };
}
