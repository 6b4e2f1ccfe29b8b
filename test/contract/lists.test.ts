import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { buildApp } from '../../src/app.ts';
import { jobStatus } from '../../src/features/jobs/index.ts';
import { insertRun } from '../../src/features/posture/index.ts';
import { insertGraph } from '../../src/graph/store.ts';
import type { Column, ColumnType, List } from '../../src/http/list.ts';
import type { AnyOperation } from '../../src/http/operation.ts';
import { analyseAgain, insertEstate } from '../graph/attack-paths.ts';
import { makeClient, makeEvent, makeJob, makeProvider, makeUser } from '../server/builders.ts';
import { document as committed } from '../server/conformance.ts';
import { type Answer, startTestServer, type TestServer } from '../server/harness.ts';
import { assertEnvelope } from '../server/pipeline.ts';
import { type ApiDocument, resolved, type Schema } from './document.ts';

const document = committed as unknown as ApiDocument;

/** A list of the API, and where its rows are in an answer. */
/** Lists that have a part of their rows unless a filter asks for others, with the query that gives them all. */
const widestQueries: Readonly<Record<string, Record<string, string>>> = {
  'GET /api/v2/posture-stats': { asset_group_tag_id: 'gte:0' },
};

interface Listed {
  readonly name: string;
  readonly operation: AnyOperation;
  readonly list: List;
  readonly steps: readonly string[];
  readonly identity: 'id' | 'key';
}

let server: TestServer;
let token: string;
/** For the lists that only collectors see. */
let collectorToken: string;
let lists: readonly Listed[] = [];

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
  const app = await buildApp(server.deps);
  // A list below one thing is a part of a list of all.
  lists = app.server.operations.flatMap((operation) =>
    operation.list && !operation.url.includes('{') ? [listed(operation)] : [],
  );
  await app.server.app.close();
  await makeRows();
});
after(() => server.stop());

/** Something in every list, with ties and with values that are not set. */
async function makeRows(): Promise<void> {
  for (const role of ['User', 'Auditor', 'User', 'Read-Only'] as const) await makeUser(server.deps, role);
  const { ssoProviderId } = await makeProvider(server.deps);
  await makeProvider(server.deps, 'Zwinger');
  await makeUser(server.deps, 'User', {
    ssoProviderId,
    firstName: 'Ada',
    lastName: 'Byron',
    emailAddress: 'Ada@example.org',
    lastLogin: server.now(),
  });
  await makeUser(server.deps, 'User', { isDisabled: true, firstName: 'Ada' });
  const collector = await makeClient(server.deps);
  collectorToken = collector.token;
  await makeClient(server.deps);
  for (const status of [
    jobStatus.ready,
    jobStatus.ready,
    jobStatus.running,
    jobStatus.complete,
    jobStatus.failed,
  ])
    await makeJob(server.deps, collector, status);
  for (const rrule of ['FREQ=DAILY', 'FREQ=WEEKLY', 'FREQ=DAILY'])
    await makeEvent(server.deps, collector, `DTSTART:20260101T023000Z\nRRULE:${rrule}`);
  const environments = ['NORTH', 'SOUTH', 'SOUTH'].map((name, index) => ({
    objectId: `S-1-5-21-${index}`,
    kinds: index === 1 ? ['AZTenant', 'AZBase'] : ['Domain', 'Base'],
    name,
    properties: index === 0 ? { collected: true } : {},
  }));
  await server.deps.graph.transaction((graph) => insertGraph(graph, environments, [], server.now()));
  for (const [index, numerator] of [1, 2, 2].entries()) {
    const at = server.now() - (index + 1) * 1000;
    const point = { dataType: 'findings', tagId: 1, environmentId: 'A', numerator, denominator: 0 } as const;
    const exposure = { ...point, dataType: 'exposure', denominator: 3 } as const;
    const others = [
      { ...point, tagId: 0 },
      { ...point, environmentId: 'B' },
    ];
    await server.deps.graph.transaction((graph) =>
      insertRun(graph, { startedAt: at, finishedAt: at }, [point, exposure, ...others]),
    );
  }
  await insertEstate(server);
  await analyseAgain(server, token);
  const known = (method: string, url: string) => document.paths[url]?.[method] !== undefined;
  for (let number = 1; number <= 4; number += 1) {
    await call('PUT', '/api/v2/config', { key: 'analysis.reconciliation', value: { enabled: number > 2 } });
    await call('POST', '/api/v2/file-upload/start');
    await call('POST', '/api/v2/asset-group-tags', {
      name: `Zone ${number}`,
      description: number % 2 ? 'Odd' : '',
    });
    if (known('post', '/api/v2/tokens'))
      await call('POST', '/api/v2/tokens', { token_name: `token ${number % 2}` });
  }
}

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const isForCollectors = /^\/api\/v2\/(jobs|tasks)\/available/.test(path);
  return server.call(method, path, { token: isForCollectors ? collectorToken : token, body });
}

function listed(operation: AnyOperation): Listed {
  const { list, method, url } = operation;
  assert.ok(list !== undefined && method === 'GET', url);
  const media = document.paths[url]?.get?.responses['200']?.content?.['application/json'];
  assert.ok(media !== undefined, `${url} is not in openapi.json: run npm run openapi`);
  const found = arrayIn(resolved(document, media.schema), []);
  assert.ok(found !== undefined, `the answer of ${url} has no array of records`);
  return { name: `${method} ${url}`, operation, list, ...found };
}

/** The first array of records with an `id` or a `key`, from the outside in. */
function arrayIn(schema: Schema, steps: string[]): Pick<Listed, 'steps' | 'identity'> | undefined {
  if (schema.type === 'array') {
    const members = schema.items?.properties ?? {};
    const identity = (['id', 'key'] as const).find((name) => members[name] !== undefined);
    return identity && { steps, identity };
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const found = arrayIn(member, [...steps, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The identities of the rows that a list gives for a query. */
async function rowsOf(one: Listed, query: Readonly<Record<string, string | readonly string[]>> = {}) {
  const answer = await call('GET', `${one.operation.url}?${asText(query)}`);
  assert.equal(answer.status, 200, `${one.name} ${asText(query)}: ${answer.text.slice(0, 300)}`);
  const rows = one.steps.reduce((part, step) => part[step], answer.body) as Record<string, unknown>[];
  return { ids: rows.map((row) => row[one.identity]), count: answer.body.count as number | undefined };
}

function asText(query: Readonly<Record<string, string | readonly string[]>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((text): [string, string] => [name, String(text)]),
  );
  return new URLSearchParams(pairs).toString();
}

/** Everything there is, however much that is. */
const everything = { limit: '10000' };

const operands: Readonly<Record<ColumnType, readonly string[]>> = {
  text: ['a', 'Ada', '', '%', '50%_\\', "' or 1=1 --", 'ä', 'null'],
  integer: ['0', '1', '3', '-1', '9223372036854775807', '-9223372036854775808'],
  number: ['0', '0.5', '-1.25', '1e300', '1e-7'],
  time: ['0001-01-01T00:00:00Z', '2026-01-31T00:00:00.5+01:00', '9999-12-31T23:59:59.999Z'],
  uuid: ['00000000-0000-4000-8000-000000000000', 'C3F7D7B4-6A5E-4F7B-9F0A-0D8F3A0F9A11'],
  boolean: ['true', 'false'],
};
const ordered = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'];
const predicates: Readonly<Record<ColumnType, readonly string[]>> = {
  text: ['eq', 'neq', '~eq'],
  integer: ordered,
  number: ordered,
  time: ordered,
  uuid: ['eq', 'neq'],
  boolean: ['eq', 'neq'],
};

function filtersOf(column: Column): string[] {
  const given = predicates[column.type].flatMap((predicate) =>
    (column.words ?? operands[column.type]).map((operand) => `${predicate}:${operand}`),
  );
  return [...given, 'eq:null', 'neq:null'];
}

const inOrder = (ids: readonly unknown[]) => ids.map(String).sort();

describe('every list of the API', () => {
  it('is known here, and has rows', async () => {
    assert.ok(lists.length >= 4);
    for (const one of lists) {
      const { ids } = await rowsOf(one, everything);
      assert.ok(ids.length >= 2, `${one.name} has ${ids.length} rows: make some in this test`);
      assert.equal(new Set(ids).size, ids.length, one.name);
    }
  });

  it('documents every column, and the key is one of them', () => {
    for (const { name, operation, list } of lists) {
      const described = document.paths[operation.url]?.get?.parameters.map((parameter) => parameter.name);
      for (const parameter of [...Object.keys(list.columns), 'sort_by', 'skip', 'limit'])
        assert.ok(described?.includes(parameter), `${name}: ${parameter}`);
      for (const column of [list.key, ...(list.defaultSort ?? []).map((sort) => sort.replace('-', ''))])
        assert.ok(list.columns[column] !== undefined, `${name}: ${column}`);
    }
  });

  it('answers 200 for every filter of every column, and a filter only takes away', async () => {
    for (const one of lists) {
      const widest = { ...everything, ...widestQueries[one.name] };
      const all = (await rowsOf(one, widest)).ids;
      for (const [name, column] of Object.entries(one.list.columns)) {
        for (const filter of filtersOf(column)) {
          const { ids } = await rowsOf(one, { ...widest, [name]: filter });
          assert.ok(
            ids.every((id) => all.includes(id)),
            `${one.name} ${name}=${filter}`,
          );
        }
        const set = (await rowsOf(one, { ...widest, [name]: 'neq:null' })).ids;
        const unset = (await rowsOf(one, { ...widest, [name]: 'eq:null' })).ids;
        assert.deepEqual(inOrder([...set, ...unset]), inOrder(all), `${one.name} ${name}: null or not`);
      }
    }
  });

  it('answers 200 for every column to sort by, both ways, with the same rows', async () => {
    for (const one of lists) {
      const all = inOrder((await rowsOf(one, everything)).ids);
      for (const name of Object.keys(one.list.columns)) {
        for (const sort of [name, `-${name}`]) {
          const { ids } = await rowsOf(one, { ...everything, sort_by: sort });
          assert.deepEqual(inOrder(ids), all, `${one.name} ${sort}`);
        }
      }
    }
  });

  it('answers 400 for an unknown column, predicate or order, and names it', async () => {
    for (const { operation, list } of lists) {
      const [first = ''] = Object.keys(list.columns);
      const wrong: [query: string, context: string, named: string][] = [
        ['no_such_column=eq:1', 'no_such_column', '"no_such_column"'],
        ['__proto__=eq:1', '__proto__', '"__proto__"'],
        ['constructor=1', 'constructor', '"constructor"'],
        [`${first}=like:1`, first, '"like"'],
        ['sort_by=no_such_column', 'sort_by', '"no_such_column"'],
        ['sort_by=', 'sort_by', '""'],
        ['limit=-1', 'limit', '"-1"'],
        ['skip=x', 'skip', '"x"'],
      ];
      for (const [query, context, named] of wrong) {
        const [problem] = assertEnvelope(await call('GET', `${operation.url}?${query}`), 400);
        assert.equal(problem?.context, context, `${operation.url}?${query}`);
        assert.ok(problem?.message.includes(named), problem?.message);
      }
    }
  });

  it('gives pages of every size that make up the whole, without overlap, however it is filtered and sorted', async () => {
    for (const one of lists) {
      const columns = Object.entries(one.list.columns);
      const sorts = columns.flatMap(([name]) => [name, `-${name}`]);
      const filters = columns.flatMap(([name, column]) =>
        filtersOf(column).map((filter) => [name, filter] as const),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...sorts), { maxLength: 3 }),
          fc.option(fc.constantFrom(...filters), { nil: undefined }),
          fc.integer({ min: 1, max: 60 }),
          async (sortBy, filter, size) => {
            const query = {
              ...(sortBy.length === 0 ? {} : { sort_by: sortBy }),
              ...(filter === undefined ? {} : { [filter[0]]: filter[1] }),
            };
            const whole = await rowsOf(one, { ...query, ...everything });
            if (whole.count !== undefined) assert.equal(whole.count, whole.ids.length);
            const found: unknown[] = [];
            // A short list is read page by page; of a long one only the beginning.
            for (let page = 0; page < 12 && page * size < whole.ids.length + size; page += 1) {
              const part = await rowsOf(one, { ...query, skip: String(page * size), limit: String(size) });
              assert.ok(part.ids.length <= size);
              assert.equal(part.count, whole.count);
              found.push(...part.ids);
            }
            assert.deepEqual(found, whole.ids.slice(0, 12 * size), `${one.name}?${asText(query)}`);
          },
        ),
        { numRuns: 12 },
      );
    }
  });
});
