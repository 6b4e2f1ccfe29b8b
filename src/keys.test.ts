import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCode } from '../test/server/processes.ts';
import { loadKeys } from './keys.ts';

describe('loadKeys', () => {
  const parent = mkdtempSync(join(tmpdir(), 'kennel-test-'));
  after(() => rmSync(parent, { recursive: true }));
  let serial = 0;
  const emptyDir = () => join(parent, `data-${++serial}`);
  const load = (dataDir: string, secret?: Buffer, previousSecret?: Buffer) =>
    loadKeys({ dataDir, secret, previousSecret });

  it('makes a secret once, in a file that only its owner can read', () => {
    const dataDir = emptyDir();
    const file = join(dataDir, 'secret');
    const first = load(dataDir);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    const text = readFileSync(file, 'utf8');
    assert.match(text, /^[A-Za-z0-9+/]{43}=\n$/);
    assert.deepEqual(load(dataDir), first);
    assert.equal(readFileSync(file, 'utf8'), text);
    assert.deepEqual(readdirSync(dataDir), ['secret']);
    assert.notEqual(load(emptyDir()).fingerprint, first.fingerprint);
  });

  it('gives processes that start together the same secret', async () => {
    const dataDir = emptyDir();
    const code = `
      import { loadKeys } from './src/keys.ts';
      await new Promise((resolve) => setTimeout(resolve, Number(process.env.BEGIN_AT) - Date.now()));
      process.stdout.write(loadKeys({ dataDir: process.env.DATA_DIR }).fingerprint);`;
    const env = { DATA_DIR: dataDir, BEGIN_AT: String(Date.now() + 2500) };
    const prints = await Promise.all([1, 2, 3, 4].map(() => runCode(code, env)));
    assert.deepEqual(new Set(prints), new Set([load(dataDir).fingerprint]));
    assert.deepEqual(readdirSync(dataDir), ['secret']);
  });

  it('takes the secret that it is given, and makes no file then', () => {
    const dataDir = emptyDir();
    const secret = randomBytes(32);
    assert.deepEqual(load(dataDir, secret), load(emptyDir(), secret));
    assert.equal(existsSync(dataDir), false);
    load(dataDir);
    assert.deepEqual(load(dataDir, secret), load(emptyDir(), secret));
  });

  it('is the same whether the secret comes from the file or from the setting', () => {
    const dataDir = emptyDir();
    const fromFile = load(dataDir);
    const text = readFileSync(join(dataDir, 'secret'), 'utf8');
    assert.deepEqual(load(emptyDir(), Buffer.from(text, 'base64')), fromFile);
  });

  it('derives a key for each purpose, none of which is the secret', () => {
    const secret = randomBytes(32);
    const { tokens, lookups, fingerprint } = load(emptyDir(), secret);
    const all = [secret, tokens, lookups].map((key) => Buffer.from(key).toString('hex'));
    assert.equal(new Set(all).size, 3);
    assert.ok(tokens.length === 32 && lookups.length === 32);
    assert.match(fingerprint, /^[0-9a-f]{32}$/);
    assert.ok(all.every((key) => !key.includes(fingerprint)));
  });

  it('keeps the previous keys while the secret changes', () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const keys = load(emptyDir(), fresh, old);
    assert.equal(keys.fingerprint, load(emptyDir(), fresh).fingerprint);
    assert.deepEqual(keys.previous?.tokens, load(emptyDir(), old).tokens);
    assert.equal(keys.previous?.fingerprint, load(emptyDir(), old).fingerprint);
    assert.equal(load(emptyDir(), fresh).previous, undefined);
  });

  it('refuses a file that holds something else, and does not replace it', () => {
    for (const content of [
      '',
      'too short',
      randomBytes(31).toString('base64'),
      randomBytes(64).toString('base64'),
    ]) {
      const dataDir = emptyDir();
      load(dataDir);
      const file = join(dataDir, 'secret');
      writeFileSync(file, content);
      assert.throws(() => load(dataDir), { message: `${file} must hold 32 bytes in base64` });
      assert.equal(readFileSync(file, 'utf8'), content);
    }
  });
});
