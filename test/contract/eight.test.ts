import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { openApiDocument } from '../../src/cli/openapi.ts';
import { type ContractOperation, contract, type Parameter } from './contract.ts';
import { type ApiDocument, asDocument, type DocumentedParameter, resolved, shapeOf } from './document.ts';

const document = asDocument(JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')));

function documented(api: ApiDocument, { method, path }: ContractOperation) {
  return api.paths[path]?.[method.toLowerCase()];
}

/** A parameter in the words of the contract; a width that the contract does not ask for is left out. */
function parameterOf({ name, required, schema, ...rest }: DocumentedParameter, asked?: Parameter): Parameter {
  const { minimum, default: fallback, ...type } = schema;
  const shape = shapeOf(type);
  return {
    name,
    in: rest.in as Parameter['in'],
    required,
    type: asked?.type === 'integer' && shape === 'int32' ? 'integer' : shape,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(minimum === undefined ? {} : { minimum }),
  };
}

for (const operation of contract) {
  describe(`${operation.method} ${operation.path} as the contract has it`, () => {
    const found = documented(document, operation);

    it('is there, with a token', () => {
      assert.ok(found !== undefined);
      assert.deepEqual(found.security, [{ bearer: [] }]);
    });

    it('has these parameters', () => {
      const parameters = (found?.parameters ?? []).filter((parameter) => parameter.in !== 'header');
      assert.deepEqual(
        parameters.map((parameter) =>
          parameterOf(
            parameter,
            operation.parameters.find(({ name }) => name === parameter.name),
          ),
        ),
        operation.parameters,
      );
      for (const parameter of parameters) {
        if (parameter.schema.type === 'array')
          assert.deepEqual([parameter.style, parameter.explode], ['form', true]);
      }
    });

    it('takes this body', () => {
      const body = found?.requestBody;
      if (operation.body !== undefined) {
        assert.equal(body?.required, true);
        assert.deepEqual(Object.keys(body.content), ['application/json']);
        const schema = resolved(document, body.content['application/json']?.schema);
        assert.deepEqual(schema && shapeOf(schema), operation.body);
      } else if (body !== undefined) {
        // The contract does not show the payload of a job's end: it must do without.
        assert.equal(operation.path, '/api/v2/jobs/end');
        assert.equal(body.required, false);
      }
    });

    it('answers with these members, all of them always there, and no others', () => {
      const schema = resolved(document, found?.responses['200']?.content?.['application/json']?.schema);
      // A graph, which the contract does not describe, is the second shape of the certificate authorities.
      const [list] = schema?.anyOf ?? [schema];
      assert.deepEqual(list && shapeOf(list), operation.answer);
    });
  });
}

describe('the editions of the eight', () => {
  let community: ApiDocument;

  before(async () => {
    community = asDocument(await openApiDocument('community'));
  });

  for (const operation of contract) {
    it(`${operation.method} ${operation.path}: ${operation.edition}`, () => {
      const isForEnterprises = operation.edition === 'enterprise';
      assert.equal(documented(community, operation) === undefined, isForEnterprises);
      const description = documented(document, operation)?.description ?? '';
      assert.equal(description.includes('Enterprise edition only.'), isForEnterprises);
    });
  }
});
