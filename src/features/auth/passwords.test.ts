import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Deadline } from '../../deadline.ts';
import { AppError } from '../../errors.ts';
import { digestOf, passwordMatches, passwordProblems, randomPassword } from './passwords.ts';
import { inTurn } from './turns.ts';

const password = 'Correct-horse-battery-9';

describe('passwordProblems', () => {
  const accepted = [
    password,
    'Abcdefghij1!',
    'Ünïcödé-ß-Ω-٣',
    'Aa1€aaaaaaaa',
    'Aa1!🐕🐕🐕🐕🐕🐕🐕🐕',
    `Aa1!${'x'.repeat(1020)}`,
  ];
  for (const text of accepted) {
    it(`finds nothing wrong with ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.deepEqual(passwordProblems(text), []);
    });
  }

  const refused: Record<string, string[]> = {
    'Abcdefghi1!': ['at least 12 characters'],
    'Aa1!🐕🐕🐕🐕': ['at least 12 characters'],
    [`Aa1!${'x'.repeat(1021)}`]: ['at most 1024 characters'],
    'ABCDEFGHIJ1!': ['a lower-case letter'],
    'abcdefghij1!': ['an upper-case letter'],
    'Abcdefghijk!': ['a digit'],
    Abcdefghijk1: ['a punctuation mark or symbol'],
    'Abcdefghij 1': ['a punctuation mark or symbol'],
    'Abcdefghij1!\n': ['no control characters'],
    '': [
      'at least 12 characters',
      'a lower-case letter',
      'an upper-case letter',
      'a digit',
      'a punctuation mark or symbol',
    ],
  };
  for (const [text, problems] of Object.entries(refused)) {
    it(`finds what is wrong with ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.deepEqual(passwordProblems(text), problems);
    });
  }
});

describe('randomPassword', () => {
  it('meets the rule, can be read off a screen, and is another one every time', () => {
    const made = Array.from({ length: 500 }, randomPassword);
    assert.equal(new Set(made).size, made.length);
    for (const text of made) {
      assert.deepEqual(passwordProblems(text), [], text);
      assert.equal(text.length, 24);
      assert.doesNotMatch(text, /[il1IoO0]/, 'look-alikes');
    }
  });

  it('has its symbol anywhere, not always in the same place', () => {
    const places = Array.from({ length: 500 }, () => randomPassword().search(/[-+=:.]/));
    assert.ok(new Set(places).size > 12);
  });
});

describe('digestOf and passwordMatches', () => {
  it('make an Argon2id digest with its own salt, and know the password again', async () => {
    const [first, second] = [await digestOf(password), await digestOf(password)];
    assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.notEqual(first, second);
    assert.equal(await passwordMatches(first, password), true);
    assert.equal(await passwordMatches(second, password), true);
  });

  it('know no other password, however close', async () => {
    const digest = await digestOf(password);
    for (const other of ['', `${password} `, password.slice(0, -1), password.toLowerCase(), `${password}\0`])
      assert.equal(await passwordMatches(digest, other), false, JSON.stringify(other));
  });

  it('say no without a digest, after the same work', async () => {
    const digest = await digestOf(password);
    assert.equal(await passwordMatches(undefined, password), false);
    assert.equal(await passwordMatches(undefined, ''), false);
    const quickest = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
    const time = async (kind: keyof typeof quickest, candidate: string | undefined) => {
      const startedAt = performance.now();
      await passwordMatches(candidate, 'wrong');
      quickest[kind] = Math.min(quickest[kind], performance.now() - startedAt);
    };
    // By turns, so that a busy machine slows both; without the work it would be a thousandth, not a fifth.
    for (let round = 0; round < 6; round += 1) {
      await time('known', digest);
      await time('unknown', undefined);
    }
    assert.ok(quickest.unknown > quickest.known / 5, JSON.stringify(quickest));
  });
});

describe('inTurn', () => {
  const turns = (count: number, work: () => Promise<void>, deadline?: Deadline) =>
    Array.from({ length: count }, () => inTurn(deadline, work));

  it('lets four at a time in, the others in their order', async () => {
    let [inside, most] = [0, 0];
    const order: number[] = [];
    const work = Array.from({ length: 12 }, (_, index) =>
      inTurn(undefined, async () => {
        inside += 1;
        most = Math.max(most, inside);
        order.push(index);
        await new Promise(setImmediate);
        inside -= 1;
      }),
    );
    await Promise.all(work);
    assert.deepEqual([most, order], [4, work.map((_, index) => index)]);
  });

  it('answers 503 at once when 256 wait, and 504 to who has waited for as long as they want', async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const inside = turns(4, () => finished);
    const impatient = assert.rejects(
      inTurn(new Deadline(0), () => finished),
      (error) => error instanceof AppError && error.code === 'timed_out',
    );
    await impatient;
    const waiting = turns(256, () => finished);
    await assert.rejects(
      inTurn(undefined, () => finished),
      (error) => error instanceof AppError && error.code === 'unavailable' && error.retryAfterSeconds === 5,
    );
    finish();
    await Promise.all([...inside, ...waiting]);
  });

  it('frees the place of work that fails', async () => {
    const digest = await digestOf(password);
    for (let i = 0; i < 6; i += 1)
      await assert.rejects(inTurn(undefined, () => passwordMatches('not a digest', password)));
    assert.equal(await inTurn(undefined, () => passwordMatches(digest, password)), true);
  });
});
