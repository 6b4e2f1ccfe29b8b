import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Answer } from './call.ts';
import type { TestServer } from './harness.ts';

/** One answer as it came over the wire. Header names are in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
  readonly text: string;
  readonly body: Answer['body'];
}

/** A connection that sends exactly what it is told: for what `fetch` tidies up or refuses to send. */
export class RawConnection {
  readonly socket: Socket;
  /** Settles when the server has closed the connection. */
  readonly closed: Promise<unknown>;
  /** What ended the connection, if it was not closed in order. */
  failure: Error | undefined;
  #received = Buffer.alloc(0);
  #wake = () => {};

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('close', () => this.#wake());
    // A reset is a way to close, too.
    socket.on('error', (error) => {
      this.failure = error;
    });
  }

  send(data: string | Uint8Array): void {
    this.socket.write(data);
  }

  /** The next answer. The answer to a HEAD request has a length but no body. */
  async read(options: { head?: boolean } = {}): Promise<RawAnswer> {
    let end = this.#received.indexOf('\r\n\r\n');
    while (end < 0) {
      await this.#more();
      end = this.#received.indexOf('\r\n\r\n');
    }
    const [statusLine = '', ...lines] = this.#received.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const length = options.head ? 0 : Number(headers['content-length'] ?? 0);
    const start = end + 4;
    while (this.#received.length < start + length) await this.#more();
    const bytes = this.#received.subarray(start, start + length);
    this.#received = this.#received.subarray(start + length);
    const text = bytes.toString('utf8');
    const isJson = /json/.test(headers['content-type'] ?? '') && headers['content-encoding'] === undefined;
    return {
      status: Number(statusLine.split(' ')[1]),
      headers,
      bytes,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  }

  close(): void {
    this.socket.destroy();
  }

  async #more(): Promise<void> {
    if (this.socket.destroyed) {
      throw new Error(`the connection ended after ${JSON.stringify(this.#received.toString('latin1'))}`);
    }
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** A request as text: the head with its headers, ready for a body to follow. */
export function requestText(
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[] = [],
): string {
  const lines = [['Host', 'localhost'], ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Sends one request on a connection of its own. */
export async function rawCall(
  server: Pick<TestServer, 'url'>,
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[] = [],
  body: string | Uint8Array = '',
): Promise<RawAnswer> {
  const connection = await RawConnection.open(server.url);
  try {
    connection.send(requestText(method, path, headers));
    if (body.length > 0) connection.send(body);
    return await connection.read({ head: method === 'HEAD' });
  } finally {
    connection.close();
  }
}
