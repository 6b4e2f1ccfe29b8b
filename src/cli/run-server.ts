import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildApp } from '../app.ts';
import { createDeps, prepareStores, StartError } from '../bootstrap.ts';
import { isLoopback, type Settings } from '../config.ts';
import { openStores, type StoreOptions, type Stores } from '../db/open.ts';
import { lockDataDir } from '../db/server-lock.ts';
import type { Deps } from '../deps.ts';
import { finishAudit } from '../features/audit/index.ts';
import type { HttpMetrics } from '../http/metrics.ts';
import type { HttpServer } from '../http/server.ts';
import { createLog } from '../log.ts';
import { startBackground } from './background.ts';
import { finishRequests } from './finish-requests.ts';

export interface RunningServer {
  readonly url: string;
  readonly metricsUrl: string | undefined;
  readonly deps: Deps;
  /** Finishes what is under way, for at most `graceMs`, then closes everything. */
  stop(): Promise<void>;
}

interface StartOptions extends StoreOptions {
  readonly clock?: () => number;
  /** Runs before the first request is taken. */
  readonly prepare?: (deps: Deps) => Promise<void>;
  /** What still runs this long after the stop began is answered with 503; a commit under way finishes. */
  readonly graceMs?: number;
}

/** Opens the store, brings it up to date and serves it. */
export async function startServer(settings: Settings, options: StartOptions = {}): Promise<RunningServer> {
  const { clock = Date.now, graceMs = 8000 } = options;
  const log = createLog(settings);
  const lock =
    settings.databaseUrl === undefined
      ? lockDataDir(
          settings.dataDir,
          `another Kennel server is using ${settings.dataDir}: stop it, or choose another KENNEL_DATA_DIR`,
        )
      : undefined;
  let stores: Stores | undefined;
  try {
    const opened = openStores(settings, options);
    stores = opened;
    const applied = await prepareStores(opened, settings, clock());
    if (applied.length > 0) log.info({ applied }, 'migrations applied');
    let url = '';
    const deps = await createDeps(opened, settings, log, () => settings.publicUrl ?? url, clock);
    await options.prepare?.(deps);
    const { server, metrics, refusedWrites } = await buildApp(deps);
    const metricsServer = metrics === undefined ? undefined : await serveMetrics(settings, metrics);
    await listen(server, settings).catch((error) => {
      metricsServer?.close();
      throw error;
    });
    url = urlOf(settings.tls === undefined ? 'http' : 'https', settings.host, server.app.server.address());
    if (!isLoopback(settings.host) && settings.tls === undefined) {
      log.warn(
        { host: settings.host },
        'listening beyond loopback without TLS: passwords and tokens can be read on the way',
      );
    }
    const background = startBackground(deps, [
      { name: 'record refused writes', everyMs: 30_000, run: () => refusedWrites.flush() },
    ]);
    return {
      url,
      metricsUrl: metricsServer && urlOf('http', settings.metricsHost, metricsServer.address()),
      deps,
      stop: async () => {
        await finishRequests(server, { drainMs: settings.drainSeconds * 1000, graceMs });
        metricsServer?.close();
        metricsServer?.closeAllConnections();
        await background.stop();
        await refusedWrites.flush({ all: true });
        await finishAudit(deps);
        await opened.close();
        lock?.release();
      },
    };
  } catch (error) {
    await stores?.close();
    lock?.release();
    throw error;
  }
}

async function listen(server: HttpServer, { host, port }: Settings): Promise<void> {
  // For `localhost` Fastify would open a second server on IPv6, which a shutdown does not wait for.
  const address = host === 'localhost' ? '127.0.0.1' : host;
  await server.app
    .listen({ host: address, port })
    .catch(explainListenError('KENNEL_HOST', host, 'KENNEL_PORT', port));
}

/** Says in plain words why an address can't be listened on. */
function explainListenError(hostName: string, host: string, portName: string, port: number | undefined) {
  return (error: NodeJS.ErrnoException): never => {
    const reasons: Record<string, string> = {
      EADDRINUSE: 'is in use',
      EACCES: 'may not be used by this account',
      EADDRNOTAVAIL: 'is not an address of this machine',
      ENOTFOUND: 'is not a known host',
    };
    const reason = reasons[error.code ?? ''];
    if (reason === undefined) throw error;
    throw new StartError(
      `port ${port} on ${host} ${reason}: choose another ${portName} (0 picks a free one) or ${hostName}`,
    );
  };
}

/** Metrics and a second liveness probe, on a port that is not the API's. */
function serveMetrics(settings: Settings, metrics: HttpMetrics): Promise<Server> {
  const server = createHttpServer(async (request, response) => {
    if (request.url === '/metrics') {
      response.setHeader('content-type', metrics.registry.contentType).end(await metrics.registry.metrics());
    } else if (request.url === '/health/live') {
      response.setHeader('content-type', 'application/json').end('{"status":"live"}');
    } else {
      response
        .writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
        .end('try /metrics or /health/live\n');
    }
  });
  const { metricsHost: host, metricsPort: port } = settings;
  return new Promise<Server>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  }).catch(explainListenError('KENNEL_METRICS_HOST', host, 'KENNEL_METRICS_PORT', port));
}

function urlOf(scheme: string, host: string, address: AddressInfo | string | null): string {
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
