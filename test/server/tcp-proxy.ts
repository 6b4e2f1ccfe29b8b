import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, so that a test can cut the line without touching either. */
export interface TcpProxy {
  readonly port: number;
  /** Breaks every connection, as a crash (`reset`) or in order (`end`). */
  cut(how: 'reset' | 'end'): void;
  /** From now on nobody is let in; `open` ends that. */
  shut(): Promise<void>;
  open(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target);
    clients.add(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        clients.delete(client);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const cut = (how: 'reset' | 'end') => {
    for (const client of clients) how === 'reset' ? client.resetAndDestroy() : client.end();
  };
  const shut = async () => {
    const closed = once(server, 'close');
    server.close();
    cut('reset');
    await closed;
  };
  return {
    port,
    cut,
    shut,
    open: async () => {
      await listen(port);
    },
    stop: async () => {
      if (server.listening) await shut();
    },
  };
}
