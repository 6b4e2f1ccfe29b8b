import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readSettings } from '../config.ts';
import { storeRefusal } from './refusals.ts';
import { startServer } from './run-server.ts';

describe('a store that can not be used', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'kennel-test-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** The sentence that a start in this directory ends with. */
  const refusalOf = async (dataDir: string) => {
    const settings = readSettings({ KENNEL_DATA_DIR: dataDir, KENNEL_PORT: '0', KENNEL_LOG_LEVEL: 'silent' });
    try {
      const server = await startServer(settings);
      await server.stop();
    } catch (error) {
      return storeRefusal(error) ?? String(error);
    }
    return 'started';
  };

  it('is refused with its name and what to do', async () => {
    const file = join(dir, 'kennel.db');
    writeFileSync(file, 'this is a shopping list, and a long one at that\n'.repeat(200));
    assert.equal(
      await refusalOf(dir),
      `${file} is not a database of Kennel: move the file away, or choose another KENNEL_DATA_DIR`,
    );
    rmSync(file);
    mkdirSync(file);
    assert.match(await refusalOf(dir), /kennel\.db is a directory, but a file is expected there/);
    const plain = join(dir, 'plain');
    writeFileSync(plain, '');
    assert.match(await refusalOf(plain), /plain is a file, but a directory is expected there/);
    assert.match(await refusalOf(join(plain, 'below')), /lies under something that is no directory/);
  });

  it('is told from what only a programmer can mend', () => {
    for (const [error, sentence] of [
      [{ code: 'EACCES', path: '/srv/kennel' }, /^\/srv\/kennel can not be written by this account/],
      [{ code: 'EROFS', path: '/srv/kennel' }, /read-only/],
      [{ code: 'ENOSPC' }, /^the data directory .* disk that is full/],
      [{ errcode: 8 | (1 << 8), path: '/srv/kennel.db' }, /^\/srv\/kennel\.db can not be written/],
      [{ errcode: 13 }, /disk that is full/],
      [{ errcode: 14 }, /could not be opened/],
    ] as const)
      assert.match(storeRefusal(error) ?? '', sentence);
    for (const error of [new TypeError('x'), { code: 'ECONNREFUSED' }, { errcode: 1 }, undefined])
      assert.equal(storeRefusal(error), undefined);
  });
});
