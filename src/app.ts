import swagger from '@fastify/swagger';
import swaggerUi, { type FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Deps } from './deps.ts';
import { AppError } from './errors.ts';
import { askFor, registerAnalysis } from './features/analysis/index.ts';
import { registerApiTokens, tokenEffects } from './features/api-tokens/index.ts';
import { createParameters, registerAppConfig } from './features/app-config/index.ts';
import { registerAttackPaths } from './features/attack-paths/index.ts';
import { RefusedWrites, registerAudit } from './features/audit/index.ts';
import { countPauses, createAuthenticator, registerAuth, Tokens } from './features/auth/index.ts';
import { registerCertTemplates } from './features/cert-templates/index.ts';
import { countFailing, registerCollectors } from './features/clients/index.ts';
import { createKindIcons, registerCustomNodes } from './features/custom-nodes/index.ts';
import { registerDataPipe } from './features/data-pipe/index.ts';
import { registerDownloads } from './features/downloads/index.ts';
import { registerEntitlements } from './features/entitlements/index.ts';
import { registerEnvironments } from './features/environments/index.ts';
import {
  createFeatureFlags,
  type FeatureFlags,
  registerFeatureFlags,
} from './features/feature-flags/index.ts';
import { registerHealth } from './features/health/index.ts';
import { countAbandoned, registerJobs } from './features/jobs/index.ts';
import { registerPosture } from './features/posture/index.ts';
import { registerRoles } from './features/roles/index.ts';
import { registerSaml } from './features/saml/index.ts';
import { registerSchedules } from './features/schedules/index.ts';
import { registerSearch } from './features/search/index.ts';
import { createIntake, registerIngest } from './features/spool/index.ts';
import { registerStartPage } from './features/start-page/index.ts';
import { registerUploads } from './features/uploads/index.ts';
import { registerPeople, registerSecrets, registerSelf } from './features/users/index.ts';
import { registerVersion } from './features/version/index.ts';
import { registerZones } from './features/zones/index.ts';
import { pathOf, refuseOtherMethods } from './http/methods.ts';
import { HttpMetrics } from './http/metrics.ts';
import { buildOpenApi } from './http/openapi.ts';
import { type AnyOperation, Document, type Register } from './http/operation.ts';
import { ReadyJson } from './http/ready-json.ts';
import { registerOperation } from './http/run-operation.ts';
import { NoJson } from './http/schemas.ts';
import { createServer, type HttpContext, type HttpServer } from './http/server.ts';
import { toYaml } from './values/yaml.ts';
import { version } from './version.ts';

export interface App {
  readonly server: HttpServer;
  readonly metrics: HttpMetrics | undefined;
  readonly openapi: () => Record<string, unknown>;
  /** To be flushed now and then, and before the store is closed. */
  readonly refusedWrites: RefusedWrites;
}

const dayMs = 24 * 60 * 60 * 1000;

/** The whole API on one server, not yet listening: the HTTP pipeline, then one line per feature. */
export async function buildApp(deps: Deps): Promise<App> {
  const parameters = createParameters(deps.db, deps.changes);
  const flags = createFeatureFlags(deps.db, deps.changes);
  const icons = createKindIcons(deps.db, deps.changes);
  const intake = createIntake(deps);
  const tokens = new Tokens(deps.keys, deps.instanceId, deps.clock);
  const metrics = deps.settings.metricsPort === undefined ? undefined : new HttpMetrics();
  metrics?.count(
    'kennel_one_time_password_pauses_total',
    'How often somebody gave ten wrong one-time passwords within 15 minutes',
    countPauses,
  );
  const refusedWrites = new RefusedWrites(deps);
  const notMeasured = (error: unknown) => deps.log.warn({ err: error }, 'a metric could not be looked up');
  metrics?.gauge(
    'kennel_jobs_abandoned',
    'Jobs that their collectors gave up within the last 24 hours',
    () => countAbandoned(deps.db, deps.clock() - dayMs),
    notMeasured,
  );
  metrics?.gauge(
    'kennel_collectors_failing',
    'Collectors whose latest jobs ended badly',
    () => countFailing(deps.db),
    notMeasured,
  );
  const context: HttpContext = {
    ...deps,
    metrics,
    policy: {
      authenticate: createAuthenticator(deps, parameters, tokens, () =>
        flags.isEnabled('client_bearer_auth'),
      ),
      timeoutBypassAllowed: async () => !(await parameters.get('api.timeout_limit')).enabled,
      trustedProxies: async () => (await parameters.get('http.trusted_proxies')).trusted_proxies,
      noteRefusedWrite: (write) => refusedWrites.note(write),
    },
  };
  const server = createServer(context);
  const register: Register = (operation) => registerOperation(server, context, operation);

  registerSaml(register, deps);
  registerJobs(register, deps);
  registerIngest(register, deps, intake);
  registerUploads(register, deps, intake);
  registerSchedules(register, deps);
  registerCollectors(register, deps, flags, tokens);
  registerCertTemplates(register, icons);
  registerEnvironments(register);
  registerSearch(register, icons);
  registerDataPipe(register, deps);
  registerAnalysis(register, deps);
  registerAppConfig(register, deps, tokenEffects);
  registerFeatureFlags(register, deps);
  registerPosture(register, deps);
  registerAttackPaths(register, deps, icons);
  registerZones(register, deps, (db, origin, now) => askFor(db, origin, 'zones', now));
  registerCustomNodes(register, deps);
  registerAuth(register, deps, parameters, tokens);
  registerApiTokens(register, deps, parameters);
  registerPeople(register, deps);
  registerSecrets(register, deps);
  registerSelf(register);
  registerAudit(register, deps);
  registerRoles(register);
  registerVersion(register, deps);
  registerDownloads(register, deps);
  registerEntitlements(register);
  registerStartPage(register, flags);
  registerHealth(register, deps, () => server.shuttingDown);

  const document = registerDocument(register, server, deps.settings.edition);
  await registerDocsPage(server.app, document, flags);
  refuseOtherMethods(server.app, server.operations);
  await server.app.ready();
  return { server, metrics, openapi: document.make, refusedWrites };
}

interface ApiDocument {
  /** Empty until `make` is called. */
  readonly content: Record<string, unknown>;
  /** Fills it, the first time: that takes as long as the rest of a start. */
  make(): Record<string, unknown>;
  readonly ready: ReadyJson;
}

/** The document describes every operation of the edition, itself included. */
function registerDocument(
  register: Register,
  server: HttpServer,
  edition: Deps['settings']['edition'],
): ApiDocument {
  const content: Record<string, unknown> = {};
  const available = (operation: AnyOperation) =>
    edition === 'enterprise' || operation.edition !== 'enterprise';
  const make = () =>
    content.openapi === undefined
      ? Object.assign(content, buildOpenApi(server.operations.filter(available), version))
      : content;
  const ready = new ReadyJson(make);
  register({
    id: 'GetOpenAPI',
    method: 'GET',
    url: '/api/v2/openapi.json',
    tag: 'API document',
    summary: 'This document',
    access: 'public',
    answer: Type.Object({}, { additionalProperties: true }),
    answerExample: { openapi: '3.1.0' },
    handle: async () => ready,
  });
  register({
    id: 'GetSpec',
    method: 'GET',
    url: '/api/v2/spec',
    tag: 'API document',
    summary: 'The same document under the name that other servers of this API have for it',
    access: 'public',
    answer: Type.Object({}, { additionalProperties: true }),
    answerExample: { openapi: '3.1.0' },
    handle: async () => ready,
  });
  let yaml: string | undefined;
  register({
    id: 'GetSpecAsYAML',
    method: 'GET',
    url: '/api/v2/spec/openapi.yaml',
    tag: 'API document',
    summary: 'The same document as YAML',
    access: 'public',
    answer: NoJson,
    documents: { 'text/x-yaml': 'YAML 1.2' },
    handle: async () => {
      yaml ??= toYaml(make());
      return new Document('text/x-yaml', yaml);
    },
  });
  return { content, make, ready };
}

const docsPath = '/api/docs';

/** The page styles itself inline; scripts come from this server alone. */
const docsPolicy =
  "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; script-src 'self'; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'";

/** An interactive page at /api/docs; everything it loads comes from this server. */
async function registerDocsPage(
  app: FastifyInstance,
  { content, make, ready }: ApiDocument,
  flags: FeatureFlags,
): Promise<void> {
  await app.register(swagger, { mode: 'static', specification: { document: content } } as never);
  await app.register(async (docs) => {
    docs.addHook('onRequest', async (request, reply) => {
      if (!(await flags.isEnabled('api_docs_page')))
        throw new AppError('not_found', `there is nothing at ${pathOf(request.url)}`, { context: 'path' });
      // The page's own route would write the whole document anew each time.
      if (pathOf(request.url) === `${docsPath}/json`) return ready.send(request, reply);
      make();
    });
    await docs.register(swaggerUi, docsOptions);
  });
}

const docsOptions: FastifySwaggerUiOptions = {
  routePrefix: docsPath,
  staticCSP: docsPolicy,
  uiConfig: { docExpansion: 'list', deepLinking: true, validatorUrl: null },
  // The bar only offers to load other documents, under the framework's logo.
  theme: {
    title: 'Kennel API',
    css: [{ filename: 'kennel.css', content: '.swagger-ui .topbar { display: none }' }],
  },
};
