import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Type from 'typebox';
import { Struct } from './schemas.ts';
import { bodyValidator } from './validation.ts';

describe('bodyValidator', () => {
  const validate = bodyValidator(
    Struct({
      name: Type.String({ maxLength: 5 }),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
      either: Type.Optional(Type.Union([Type.String({ maxLength: 3 }), Type.Integer(), Type.Null()])),
      parts: Type.Optional(
        Type.Union([Type.Array(Type.Object({})), Type.Record(Type.String(), Type.Object({}))]),
      ),
    }),
  );
  const messages = (value: unknown, root?: string) => validate(value, root).map(({ message }) => message);

  it('has nothing to say about a value that fits', () => {
    assert.deepEqual(messages({ name: 'a', size: 9, either: null, parts: [{}] }), []);
  });

  it('names every missing, unknown and mistyped member by its path', () => {
    assert.deepEqual(validate({ size: '1', extra: 1, another: 2 }, 'value'), [
      { context: 'value.name', message: 'value.name is required' },
      { context: 'value.extra', message: 'value.extra is not a known member' },
      { context: 'value.another', message: 'value.another is not a known member' },
      { context: 'value.size', message: 'value.size must be a whole number' },
    ]);
  });

  it('tells the bounds of a number', () => {
    assert.deepEqual(messages({ name: 'a', size: 0 }), ['size must be >= 1']);
    assert.deepEqual(messages({ name: 'a', size: 10 }), ['size must be <= 9']);
  });

  it('names all the types of a union in one sentence', () => {
    assert.deepEqual(messages({ name: 'a', either: true }), [
      'either must be a string or a whole number or null',
    ]);
  });

  it('tells only the problems of the alternative that the value resembles', () => {
    assert.deepEqual(messages({ name: 'a', either: 'long' }), [
      'either must not have more than 3 characters',
    ]);
    assert.deepEqual(messages({ name: 'a', parts: [1] }), ['parts.0 must be an object']);
    assert.deepEqual(messages({ name: 'a', parts: { x: 1 } }), ['parts.x must be an object']);
  });

  it('keeps what is wrong elsewhere', () => {
    assert.deepEqual(messages({ name: 1, either: true }), [
      'name must be a string',
      'either must be a string or a whole number or null',
    ]);
  });

  it('speaks of the body when the whole of it is wrong', () => {
    assert.deepEqual(messages([]), ['the body must be an object']);
  });
});
