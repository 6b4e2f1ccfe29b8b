import { connect, type Socket } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const connectWithinMs = 5000;
const defaultPort = 5432;

/** The hosts of a connection URL (`postgres://user:password@host1:5432,host2/database`), and the URL with one. */
export function separateHosts(url: string): { url: string; addresses: Address[] } {
  const [, before = '', hosts = '', after = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(url) ?? [];
  const addresses = hosts.split(',').map((text) => {
    const [, bracketed, plain = '', port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
    return { host: decodeURIComponent(bracketed ?? plain), port: port ? Number(port) : defaultPort };
  });
  return { url: `${before}${hosts.split(',')[0]}${after}`, addresses };
}

/**
 * Gives one connection its socket: to the first host that takes it, or to the next one when the driver asks
 * again because the host won't do. A driver that asks after that is refused: left to itself, it would try for
 * ever, without a pause and without telling anyone.
 */
export function socketOpener(
  addresses: readonly Address[],
  onConnect: (host: string) => void,
): () => Promise<Socket> {
  const untried = [...addresses];
  let failure: unknown = Object.assign(new Error('the server closed the connection'), {
    code: 'CONNECTION_CLOSED',
  });
  return async () => {
    for (let address = untried.shift(); address !== undefined; address = untried.shift()) {
      try {
        const socket = await connectTo(address);
        onConnect(address.host);
        // The driver takes the name for TLS from here.
        return Object.assign(socket, address);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
}

function connectTo(address: Address): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...address, timeout: connectWithinMs });
    const onTimeout = () => {
      const message = 'the server did not answer in time';
      socket.destroy(Object.assign(new Error(message), { code: 'CONNECT_TIMEOUT' }));
    };
    socket.once('timeout', onTimeout).once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0).off('timeout', onTimeout).off('error', reject);
      resolve(socket);
    });
  });
}
