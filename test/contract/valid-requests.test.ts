import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { jobStatus } from '../../src/features/jobs/index.ts';
import { makeClient, makeEvent, makeJob, makeProvider, makeToken, makeUser } from '../server/builders.ts';
import { document as committed } from '../server/conformance.ts';
import { type CallOptions, startTestServer, type TestServer } from '../server/harness.ts';
import {
  type ApiDocument,
  type DocumentedOperation,
  type DocumentedParameter,
  operationsOf,
  resolved,
} from './document.ts';
import { validValues } from './valid-values.ts';

const document = committed as unknown as ApiDocument;
const runs = 8;

let server: TestServer;
let user: string;
let collector: string;
/** Things that exist, so that more is checked than that there is no such thing. */
let known: Record<string, string>;

before(async () => {
  server = await startTestServer();
  const { deps } = server;
  user = (await makeUser(deps)).id;
  const client = await makeClient(deps);
  collector = client.token;
  const job = await makeJob(deps, client, jobStatus.ready);
  const event = await makeEvent(deps, client, 'DTSTART:20260101T023000Z\nRRULE:FREQ=DAILY');
  const provider = await makeProvider(deps);
  known = {
    user_id: (await makeUser(deps, 'User')).id,
    client_id: client.id,
    job_id: String(job),
    task_id: String(job),
    event_id: String(event.id),
    saml_provider_id: String(provider.id),
    sso_provider_id: String(provider.ssoProviderId),
    asset_group_tag_id: '1',
    selector_id: '1',
    feature_id: '1',
    role_id: '1',
    kind_name: 'User',
  };
});
after(() => server.stop());

interface Request {
  readonly path: Record<string, string>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

function requests(operation: DocumentedOperation): fc.Arbitrary<Request> {
  const isIn = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const inPath = isIn('path').map((one) => [one.name, pathValues(one)] as const);
  const inQuery = isIn('query');
  const { content = {}, required = false } = operation.requestBody ?? {};
  const [media] = Object.values(content);
  const body = media === undefined ? fc.constant(undefined) : validValues(resolved(document, media.schema));
  return fc.record({
    path: fc.record(Object.fromEntries(inPath)),
    query: fc.record(
      Object.fromEntries(inQuery.map((one) => [one.name, validValues(resolved(document, one.schema))])),
      { requiredKeys: inQuery.filter((one) => one.required).map((one) => one.name) },
    ),
    body: required ? body : fc.option(body, { nil: undefined }),
  });
}

function pathValues({ name, schema }: DocumentedParameter): fc.Arbitrary<string> {
  const any = validValues(schema).map(String);
  return known[name] === undefined ? any : fc.oneof(any, fc.constant(known[name]));
}

function urlOf(template: string, { path, query }: Request): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return `${filled}?${new URLSearchParams(pairs)}`;
}

/** In the form that the operation takes. */
function bodyOf(operation: DocumentedOperation, value: unknown): CallOptions {
  if (value === undefined) return {};
  const content = operation.requestBody?.content ?? {};
  if ('application/json' in content) return { body: value };
  const fields = Object.entries(value as Record<string, string>);
  if ('application/x-www-form-urlencoded' in content) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { body: new URLSearchParams(fields).toString(), headers };
  }
  const boundary = 'a-boundary-that-no-text-has';
  const parts = fields.map(
    ([name, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  );
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return { body: `${parts.join('')}--${boundary}--\r\n`, headers };
}

describe('a request that fits the document', () => {
  for (const { path, method, operation } of operationsOf(document)) {
    const rules = operation['x-rules'] ?? [];
    const outcome = rules.length > 0 ? 'refused for its rules at most' : 'never refused as malformed';
    it(`is ${outcome}: ${operation.operationId}`, async () => {
      const admin = await makeToken(server.deps, 'user', user);
      await fc.assert(
        fc.asyncProperty(requests(operation), async (request) => {
          for (const token of [admin, collector]) {
            const options = { token, ...bodyOf(operation, request.body) };
            const { status, text } = await server.call(method, urlOf(path, request), options);
            const mayBe400 = rules.length > 0;
            assert.ok((mayBe400 || status !== 400) && status < 500, `${status} ${text}`);
          }
        }),
        { numRuns: runs },
      );
    });
  }
});
