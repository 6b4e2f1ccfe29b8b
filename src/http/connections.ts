import type { Server } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** Requests without their whole answer. */
  requests: number;
  bytesRead: number;
  /** When something happened on it last. */
  since: number;
}

/** The open connections of a server, and which of them are at rest. */
export class Connections {
  /** By the address and port of the other side: with TLS one connection has two sockets, and the second counts. */
  readonly #open = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<Socket, Connection>();

  constructor(server: Server) {
    const watch = (socket: Socket) => {
      const key = `${socket.remoteAddress} ${socket.remotePort}`;
      const connection = { socket, requests: 0, bytesRead: 0, since: performance.now() };
      this.#open.set(key, connection);
      this.#bySocket.set(socket, connection);
      socket.once('close', () => {
        if (this.#open.get(key) === connection) this.#open.delete(key);
      });
    };
    server.on('connection', watch).on('secureConnection', watch);
  }

  /** Gives the function to call once the request has its whole answer. */
  beginRequest(socket: Socket): () => void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return () => {};
    connection.requests += 1;
    return () => {
      connection.requests -= 1;
      connection.bytesRead = socket.bytesRead;
      connection.since = performance.now();
    };
  }

  /** Closes those on which nothing has happened for so long: half a request, an idle connection, a silent one. */
  closeResting(ms: number): void {
    const now = performance.now();
    for (const connection of this.#open.values()) {
      const { socket } = connection;
      if (connection.requests > 0) continue;
      if (socket.bytesRead !== connection.bytesRead) {
        connection.bytesRead = socket.bytesRead;
        connection.since = now;
      } else if (now - connection.since >= ms) socket.destroy();
    }
  }

  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }
}
