import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { openApiDocument } from '../../src/cli/openapi.ts';
import { version } from '../../src/version.ts';
import { type ApiDocument, asDocument, type Media, operationsOf, resolved } from './document.ts';

const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
/** With its references, as it is sent. */
let raw: Pick<ApiDocument, 'components'>;
let document: ApiDocument;
let community: ApiDocument;

before(async () => {
  raw = JSON.parse(JSON.stringify(await openApiDocument('enterprise')));
  document = asDocument(raw);
  community = asDocument(await openApiDocument('community'));
});

function assertFits({ schema, example }: Media, where: string): void {
  assert.notEqual(example, undefined, `${where} has no example`);
  const validator = Compile(resolved(document, schema) as TSchema);
  const problems = validator.Check(example) ? [] : validator.Errors(example);
  assert.deepEqual(problems, [], where);
}

describe('openapi.json', () => {
  it('is what the program generates', () => {
    assert.deepEqual(JSON.parse(committed), raw, 'openapi.json is stale: run npm run openapi');
  });

  it('is OpenAPI 3.1 of this version', () => {
    assert.equal(document.openapi, '3.1.0');
    assert.equal(document.info.version, version);
  });

  it('says once what many operations share: at most 5 KB an operation', () => {
    const perOperation = committed.length / operationsOf(document).length;
    assert.ok(perOperation <= 5000, `${Math.round(perOperation)} characters an operation`);
  });

  it('leaves out the operations of the other edition', () => {
    const names = (api: ApiDocument) => operationsOf(api).map(({ operation }) => operation.operationId);
    const isForEnterprises = operationsOf(document).filter(({ operation }) =>
      operation.description.includes('Enterprise edition only.'),
    );
    const missing = isForEnterprises.map(({ operation }) => operation.operationId);
    assert.ok(missing.includes('CancelTask') && missing.includes('GetPostureHistory'));
    assert.deepEqual(
      names(community),
      names(document).filter((name) => !missing.includes(name)),
    );
  });
});

describe('every operation of openapi.json', () => {
  it('has an id, a summary and a tag of its own', () => {
    const operations = operationsOf(document);
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    const tags = document.tags.map(({ name }) => name);
    assert.equal(new Set(tags).size, tags.length);
    for (const { operation } of operations) {
      assert.match(operation.operationId, /^[A-Z][A-Za-z]+$/);
      assert.ok(operation.summary.length > 0);
      assert.ok(operation.tags.length > 0 && operation.tags.every((tag) => tags.includes(tag)));
    }
  });

  it('declares every parameter of its path, and each parameter once', () => {
    for (const { path, operation } of operationsOf(document)) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
      const expected = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.deepEqual(inPath.map(({ name }) => name).sort(), expected.sort(), path);
      assert.ok(inPath.every(({ required }) => required));
      const all = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      assert.equal(new Set(all).size, all.length, path);
    }
  });

  it('has parameters whose defaults fit', () => {
    for (const { operation } of operationsOf(document)) {
      for (const { name, schema } of operation.parameters) {
        if (schema.default !== undefined)
          assertFits({ schema, example: schema.default }, `${operation.operationId} ${name}`);
      }
    }
  });

  it('takes the Prefer header as the contract has it', () => {
    for (const { operation } of operationsOf(document)) {
      const prefer = operation.parameters.find(({ name }) => name === 'Prefer');
      assert.deepEqual(prefer?.schema, {
        type: 'string',
        default: 'wait=30',
        pattern: '^wait=(-1|[0-9]+)$',
      });
      assert.equal(prefer?.in, 'header');
      assert.equal(prefer?.required, false);
    }
  });

  it('refers only to components that exist, and every component is used', () => {
    const text = JSON.stringify(raw);
    const used = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference));
    const { securitySchemes: _, ...parts } = raw.components;
    const known = Object.entries(parts).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    assert.deepEqual([...used].sort(), known.sort());
    for (const { operation } of operationsOf(document)) {
      for (const scheme of operation.security.flatMap(Object.keys))
        assert.ok(scheme in document.components.securitySchemes);
    }
  });

  it('says what it can be answered with', () => {
    for (const { method, path, operation } of operationsOf(document)) {
      const { responses, requestBody, security, description } = operation;
      // 204 is what some callers get where others are told something.
      assert.equal(Object.keys(responses).filter((status) => /^2(?!04)/.test(status)).length, 1);
      const expected = ['400', '417', '431', '500', '503', '504'];
      if (security.length > 0) expected.push('401');
      if (description.includes('Needs the permission')) expected.push('403');
      if (description.includes('Enterprise edition only.')) expected.push('404');
      if (method !== 'GET') expected.push('408', '413');
      if (requestBody !== undefined) expected.push('415');
      for (const status of expected) assert.ok(status in responses, `${method} ${path} ${status}`);
    }
  });

  it('has a token for everything that is not public, and none for what is', () => {
    for (const { operation } of operationsOf(document)) {
      const expected = operation.description.includes('Needs no token.')
        ? []
        : operation.description.includes('Needs no token;')
          ? [{}, { bearer: [] }]
          : [{ bearer: [] }];
      assert.deepEqual(operation.security, expected);
    }
  });

  it('has an example for every body and answer that fits its schema', () => {
    for (const { operation } of operationsOf(document)) {
      const { operationId, requestBody, responses } = operation;
      if (requestBody !== undefined) {
        const body = requestBody.content['application/json'];
        const form =
          requestBody.content['multipart/form-data'] ??
          requestBody.content['application/x-www-form-urlencoded'];
        assert.ok((body === undefined) !== (form === undefined), operationId);
        if (body !== undefined) assertFits(body, `the body of ${operationId}`);
      }
      for (const [status, { content }] of Object.entries(responses)) {
        const isSuccess = status.startsWith('2');
        // Nothing to tell, or a document that is not JSON.
        if (status === '304' || (isSuccess && content?.['application/json'] === undefined)) continue;
        const where = `${operationId} ${status}`;
        const answer = content?.['application/json'];
        assert.ok(answer !== undefined, where);
        assertFits(answer, where);
        if (isSuccess) continue;
        const example = answer.example as { http_status: number };
        assert.equal(String(example.http_status), status);
        assert.ok(content?.['application/problem+json'] !== undefined, where);
      }
    }
  });
});
