import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kennel-test-installed-')));
const clone = join(folder, 'clone');
const npmCache = join(folder, 'npm-cache');
/** Nothing is there for npm to take, and nobody to ask. */
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  npm_config_cache: npmCache,
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
};
const kennelVersion = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** The packages that are installed here, under another folder. */
function linkPackages(modules: string): void {
  const source = join(root, 'node_modules');
  for (const name of readdirSync(source).filter((name) => !name.startsWith('.'))) {
    const packages = name.startsWith('@')
      ? readdirSync(join(source, name)).map((inner) => join(name, inner))
      : [name];
    for (const path of packages) {
      mkdirSync(dirname(join(modules, path)), { recursive: true });
      symlinkSync(join(source, path), join(modules, path));
    }
  }
}

before(async () => {
  for (const path of ['bin', 'migrations', 'scripts', 'src', 'openapi.json', 'package.json'])
    cpSync(join(root, path), join(clone, path), { recursive: true });
  linkPackages(join(clone, 'node_modules'));
  // What `npm ci` ends with.
  await execute('npm', ['run', 'prepare'], { cwd: clone, env });
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('npx kennel in a fresh clone', () => {
  it('runs the program there and installs nothing', async () => {
    const { stdout } = await execute('npx', ['kennel', '--version'], { cwd: clone, env });
    assert.equal(stdout, `${kennelVersion}\n`);
    assert.equal(existsSync(join(npmCache, '_npx')), false, 'npm made a copy of its own');
  });

  it('is what a production install keeps, which has no bundler', async () => {
    rmSync(join(clone, 'node_modules', 'esbuild'));
    rmSync(join(clone, 'node_modules', '.bin'), { recursive: true });
    await execute('npm', ['run', 'prepare'], { cwd: clone, env });
    const { stdout } = await execute('npx', ['kennel', '--version'], { cwd: clone, env });
    assert.equal(stdout, `${kennelVersion}\n`);
    const build = execute('npm', ['run', 'build'], { cwd: clone, env });
    await assert.rejects(build, { code: 1, stderr: /bundler is not installed\. Run `npm ci`/ });
  });
});

describe('the packed package', () => {
  const project = join(folder, 'project');
  const installed = join(project, 'node_modules', 'kennel');
  const storeEnv = {
    PATH: process.env.PATH,
    KENNEL_DATA_DIR: join(folder, 'data'),
    KENNEL_LOG_LEVEL: 'error',
    KENNEL_PORT: '0',
  };
  const kennel = async (...args: string[]) => {
    const program = join(installed, 'bin', 'kennel.js');
    return (await execute(process.execPath, [program, ...args], { cwd: project, env: storeEnv })).stdout;
  };
  let server: ChildProcess | undefined;
  after(() => server?.kill('SIGKILL'));

  it('names its command, and leaves the clone as it was', async () => {
    const manifest = readFileSync(join(clone, 'package.json'), 'utf8');
    const packing = await execute('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: clone,
      env,
    });
    assert.equal(readFileSync(join(clone, 'package.json'), 'utf8'), manifest);
    mkdirSync(installed, { recursive: true });
    const archive = join(folder, /"filename": "([^"]+)"/.exec(packing.stdout)?.[1] ?? '');
    await execute('tar', ['-xzf', archive, '-C', installed, '--strip-components=1']);
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual(bin, { kennel: 'bin/kennel.js' });
    assert.deepEqual(readdirSync(installed).sort(), [
      'bin',
      'dist',
      'migrations',
      'openapi.json',
      'package.json',
    ]);
  });

  it('serves, reads files, analyses and reads slowly, each where it belongs', async () => {
    linkPackages(join(project, 'node_modules'));
    server = spawn(process.execPath, [join(installed, 'bin', 'kennel.js'), 'serve', '--json'], {
      cwd: project,
      env: storeEnv,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.ok(server.stdout);
    const [ready] = await once(server.stdout.setEncoding('utf8'), 'data');
    const answer = await fetch(`${JSON.parse(ready).url}/health/ready`);
    assert.equal(answer.status, 200);

    const file = join(folder, 'domain.json');
    const domain = {
      ObjectIdentifier: 'S-1-5-21-1-2-3',
      Properties: { name: 'CORP.LOCAL', domain: 'CORP.LOCAL', domainsid: 'S-1-5-21-1-2-3', collected: true },
    };
    writeFileSync(file, JSON.stringify({ meta: { type: 'domains', version: 6, count: 1 }, data: [domain] }));
    const { failed_files } = JSON.parse(await kennel('ingest', '--wait', '--json', file));
    assert.equal(failed_files, 0);
    assert.equal(typeof JSON.parse(await kennel('analyze', '--json')).analysis_id, 'number');
    const { environments } = JSON.parse(await kennel('posture', '--json'));
    assert.deepEqual(
      environments.map(({ name }: { name: string }) => name),
      ['CORP.LOCAL'],
    );
  });
});
