import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { add, analyse, estate, north, south, takesOver } from '../../test/graph/posture-estate.ts';
import { startTestServer, store, type TestServer } from '../../test/server/harness.ts';
import { runKennel } from '../../test/server/processes.ts';
import { isUtf8, sparkline } from './sparkline.ts';

describe('kennel posture', () => {
  /** It runs on, as beside the command it would. */
  let server: TestServer;
  let env: Record<string, string>;
  before(async () => {
    server = await startTestServer();
    const { dataDir, databaseUrl } = server.deps.settings;
    env = {
      KENNEL_DATA_DIR: dataDir,
      KENNEL_LOG_LEVEL: 'silent',
      LANG: 'en_GB.UTF-8',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    };
  });
  after(() => server.stop());
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    runKennel(['posture', ...args], { ...env, ...more });

  it('refuses when nothing was measured, and where there is no store', async () => {
    const nothing = await run([]);
    assert.deepEqual([nothing.code, nothing.stdout], [3, '']);
    assert.match(nothing.stderr, /^kennel: no analysis has measured anything since .*: run `kennel analyze`/);
    if (store === 'postgres') return;
    const folder = mkdtempSync(join(tmpdir(), 'kennel-none-'));
    const none = await run([], { KENNEL_DATA_DIR: folder });
    assert.deepEqual([none.code, /there is no store/.test(none.stderr)], [3, true]);
    rmSync(folder, { recursive: true });
  });

  it('prints the measures of each environment, or of one by its id or name', async () => {
    const { deps } = server;
    const day = 86_400_000;
    const back = { ...deps, clock: () => deps.clock() - 2 * day };
    await add(deps, estate, [takesOver(north, 1101)]);
    await analyse(back);
    await add(deps, [], [takesOver(north, 1102)]);
    await analyse({ ...deps, clock: () => deps.clock() - day });

    const { code, stdout, stderr } = await run([]);
    assert.deepEqual([code, stderr], [0, '']);
    const [title, ...lines] = stdout.split('\n');
    assert.equal(title, `NORTH (${north}), the last 30 days`);
    assert.equal(lines[0], '  findings                      2       +1  ▁█');
    assert.equal(lines[1], '  exposure                    50%      +25  ▁█');
    assert.equal(lines[2], '  assets                        2        0  ▁▁');
    assert.equal(lines[3], '  session-completeness          -');
    assert.equal(lines.length, 15);
    assert.equal(lines[7], `SOUTH (${south}), the last 30 days`);
    const one = await run(['--environment', 'south', '--days', '2'], { LANG: 'C' });
    assert.match(one.stdout, /^SOUTH .*, the last 2 days\n {2}findings +0 +0 {2}_\n/);
    const json = JSON.parse(
      (await run(['--environment', north.toLowerCase(), '--tag', '1', '--json'])).stdout,
    );
    const [environment] = json.environments;
    assert.deepEqual([json.environments.length, environment.id, environment.name], [1, north, 'NORTH']);
    const [findings] = environment.measures;
    assert.deepEqual([findings.data_type, findings.value, findings.change], ['findings', 2, 1]);
    assert.deepEqual(
      findings.points.map(({ value }: { value: number }) => value),
      [1, 2],
    );
  });

  it('refuses an unknown environment and tag, and numbers that are none', async () => {
    const unknown = await run(['--environment', 'WEST']);
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [3, 'kennel: no environment WEST was measured: there is NORTH, SOUTH\n'],
    );
    const tag = await run(['--tag', '9']);
    assert.deepEqual([tag.code, tag.stderr], [3, 'kennel: asset group tag 9 does not exist\n']);
    const days = await run(['--days', '0']);
    assert.deepEqual(
      [days.code, days.stderr],
      [2, 'kennel: --days must be a whole number from 1 to 36500, but is "0"\n'],
    );
  });
});

describe('sparkline', () => {
  it('goes from the lowest value to the highest, and is flat when there is one', () => {
    assert.equal(sparkline([0, 1, 2, 3, 4, 5, 6, 7], true), '▁▂▃▄▅▆▇█');
    assert.equal(sparkline([50, 100, 75], false), '_#=');
    assert.equal(sparkline([9, 9, 9], true), '▁▁▁');
    assert.equal(sparkline([], true), '');
  });

  it('has one column for several of many values, and ends with the last', () => {
    const line = sparkline([...Array<number>(3650).fill(0), 1], true);
    assert.deepEqual([line.length, line.at(-1), line.indexOf('█')], [60, '█', 59]);
  });

  it('is ASCII unless the locale says UTF-8', () => {
    assert.deepEqual([{}, { LANG: 'C' }, { LANG: 'de_DE.utf8' }].map(isUtf8), [false, false, true]);
    assert.equal(isUtf8({ LC_ALL: 'C', LANG: 'en_US.UTF-8' }), false);
    assert.equal(isUtf8({ LC_ALL: '', LC_CTYPE: 'en_US.UTF-8' }), true);
  });
});
