import { createServer } from 'node:http';
import postgres from 'postgres';

/**
 * What Kennel is measured against, as a process of its own: a plain HTTP server that sends the same bytes, and
 * where statements are given, runs them first through the same driver. Its work order comes from the parent.
 */
interface Order {
  readonly body: string;
  readonly databaseUrl?: string;
  readonly statements: { readonly sql: string; readonly params: (string | number)[] }[];
}

process.once('message', (order: Order) => {
  const payload = Buffer.from(order.body);
  const sql =
    order.databaseUrl === undefined
      ? undefined
      : postgres(order.databaseUrl, { max: 10, fetch_types: false, onnotice: () => {} });
  const server = createServer(async (request, response) => {
    request.resume();
    for (const { sql: text, params } of order.statements) await sql?.unsafe(text, params, { prepare: true });
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': payload.length,
    });
    response.end(payload);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
  });
  process.once('disconnect', () => process.exit(0));
});
