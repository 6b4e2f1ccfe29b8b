import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import { openPostgres } from './postgres.ts';
import { separateHosts, socketOpener } from './postgres-socket.ts';

describe('separateHosts', () => {
  it('finds one host and its port', () => {
    const url = 'postgres://ann:p%40ss@db.example:5433/kennel?sslmode=prefer';
    assert.deepEqual(separateHosts(url), { url, addresses: [{ host: 'db.example', port: 5433 }] });
  });

  it('finds several hosts, and leaves the first in the URL', () => {
    assert.deepEqual(separateHosts('postgresql://ann:secret@one,two:5433,[::1]:5434/kennel'), {
      url: 'postgresql://ann:secret@one/kennel',
      addresses: [
        { host: 'one', port: 5432 },
        { host: 'two', port: 5433 },
        { host: '::1', port: 5434 },
      ],
    });
  });

  it('takes an IPv6 address without a port, and a URL without a path', () => {
    assert.deepEqual(separateHosts('postgres://[2001:db8::7]').addresses, [
      { host: '2001:db8::7', port: 5432 },
    ]);
  });
});

describe('a PostgreSQL that does not answer', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close();
  });

  /** A server that hangs up on everybody, as a proxy does while the database behind it is away. */
  async function startHangUp() {
    const counter = { connections: 0, port: 0 };
    const server = createServer((socket) => {
      counter.connections += 1;
      socket.on('error', () => {}).end();
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    counter.port = (server.address() as AddressInfo).port;
    return counter;
  }

  async function closedPort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return port;
  }

  const unavailable = { code: 'unavailable', retryAfterSeconds: 2 };

  it('is unavailable when it refuses connections, whatever the statement', async () => {
    const db = openPostgres(`postgres://ann@127.0.0.1:${await closedPort()}/kennel`, {
      pool: 2,
      prepare: true,
    });
    await assert.rejects(db.query('select 1'), unavailable);
    await assert.rejects(
      db.transaction(async () => assert.fail('it ran')),
      unavailable,
    );
    await assert.rejects(
      db.within(new Deadline(20)).snapshot(async () => assert.fail('it ran')),
      unavailable,
    );
    const many = await Promise.allSettled(Array.from({ length: 20 }, () => db.query('select 1')));
    for (const result of many) {
      assert.ok(result.status === 'rejected' && result.reason instanceof AppError, result.status);
      assert.equal(result.reason.code, 'unavailable');
    }
    await db.close();
  });

  it('is unavailable when it hangs up, and is not asked again and again', async () => {
    const hangUp = await startHangUp();
    const db = openPostgres(`postgres://ann@127.0.0.1:${hangUp.port}/kennel`, { pool: 2, prepare: true });
    await assert.rejects(db.query('select 1'), unavailable);
    await assert.rejects(
      db.transaction(async () => assert.fail('it ran')),
      unavailable,
    );
    await sleep(200);
    assert.equal(hangUp.connections, 2);
    await db.close();
  });

  it('is asked under each of its names before it is given up', async () => {
    const [first, second, refused] = [await startHangUp(), await startHangUp(), await closedPort()];
    const hosts = `127.0.0.1:${first.port},127.0.0.1:${refused},127.0.0.1:${second.port}`;
    const db = openPostgres(`postgres://ann@${hosts}/kennel`, { pool: 2, prepare: true });
    await assert.rejects(db.query('select 1'), unavailable);
    assert.deepEqual([first.connections, second.connections], [1, 1]);
    await db.close();
  });

  it('gets a socket to the first host that answers', async () => {
    const [refused, hangUp] = [await closedPort(), await startHangUp()];
    const connected: string[] = [];
    const open = socketOpener(
      [
        { host: '127.0.0.1', port: refused },
        { host: 'localhost', port: hangUp.port },
      ],
      (host) => connected.push(host),
    );
    const socket = await open();
    assert.equal(socket.remotePort, hangUp.port);
    assert.deepEqual(connected, ['localhost']);
    socket.destroy();
    await assert.rejects(open(), { code: 'ECONNREFUSED' });
  });
});
