import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import {
  describeSettings,
  type Environment,
  readSettings,
  type SettingFlags,
  type Settings,
  SettingsError,
  settingDescriptions,
  settingNames,
} from './config.ts';

const key = Buffer.alloc(32, 0xfb);
const keyText = key.toString('base64');

const directory = mkdtempSync(join(tmpdir(), 'kennel-config-'));
after(() => rmSync(directory, { recursive: true }));

function fileWith(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function problemsOf(env: Environment, flags: SettingFlags = {}): string[] {
  try {
    readSettings(env, flags);
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    assert.equal(error.message, error.problems.join('\n'));
    return error.problems;
  }
  return [];
}

const defaults: Settings = {
  host: '127.0.0.1',
  port: 8080,
  dataDir: resolve('kennel-data'),
  databaseUrl: undefined,
  databasePool: 10,
  databasePrepare: true,
  edition: 'enterprise',
  publicUrl: undefined,
  adminPassword: undefined,
  secret: undefined,
  previousSecret: undefined,
  auditRetentionDays: 365,
  sessionRetentionDays: 30,
  postureRetentionDays: 3650,
  ingestMaxMb: 256,
  spoolQuotaMb: 10240,
  uploadMaxMb: 4096,
  readFiles: true,
  readStallSeconds: 600,
  bodyPlaces: 32,
  bodyMinKbPerSecond: 4,
  bodyMaxSeconds: 3600,
  unverifiedMaxMb: 64,
  analyze: true,
  failedFileHours: 24,
  fileMaxMb: 16_384,
  recordMaxMb: 64,
  jsonMaxDepth: 64,
  zipMaxEntries: 10_000,
  zipMaxMb: 65_536,
  zipMaxRatio: 200,
  maxWaitSeconds: 600,
  rateLimit: 0,
  drainSeconds: 0,
  metricsPort: undefined,
  metricsHost: '127.0.0.1',
  logLevel: 'info',
  logFormat: 'auto',
  providersFile: undefined,
  collectorsDir: undefined,
  tls: undefined,
};

describe('defaults and precedence', () => {
  test('an empty environment gives the defaults', () => {
    assert.deepEqual(readSettings({}), defaults);
  });

  test('an empty string counts as unset, for known and unknown names', () => {
    const empty = Object.fromEntries([...settingNames, 'KENNEL_SECRET_FILE', 'KENNEL_X'].map((n) => [n, '']));
    assert.deepEqual(readSettings(empty, { KENNEL_PORT: '' }), defaults);
  });

  test('variables that are not ours are ignored', () => {
    assert.deepEqual(readSettings({ PATH: '/bin', KENNELS: '1', kennel_port: '1' }), defaults);
  });

  test('the result is frozen', () => {
    const settings = readSettings({ KENNEL_TLS_CERT: 'c.pem', KENNEL_TLS_KEY: 'k.pem' });
    assert.ok(Object.isFrozen(settings));
    assert.ok(Object.isFrozen(settings.tls));
  });

  test('flags win over the environment, and an empty flag does not count', () => {
    assert.equal(readSettings({ KENNEL_PORT: '1' }, { KENNEL_PORT: '0' }).port, 0);
    assert.equal(readSettings({ KENNEL_PORT: 'bad' }, { KENNEL_PORT: '2' }).port, 2);
    assert.equal(readSettings({ KENNEL_PORT: '3' }, { KENNEL_PORT: '' }).port, 3);
    assert.equal(readSettings({ KENNEL_PORT: '3' }, { KENNEL_PORT: undefined }).port, 3);
  });

  test('a flag overrides the other form of the setting in the environment', () => {
    const path = fileWith('flagged', 'from file');
    const inEnvironment = { KENNEL_ADMIN_PASSWORD_FILE: join(directory, 'absent') };
    assert.equal(readSettings(inEnvironment, { KENNEL_ADMIN_PASSWORD: 'flag' }).adminPassword, 'flag');
    const settings = readSettings({ KENNEL_ADMIN_PASSWORD: 'env' }, { KENNEL_ADMIN_PASSWORD_FILE: path });
    assert.equal(settings.adminPassword, 'from file');
  });
});

describe('secrets from files', () => {
  const fileSettings: [name: string, field: keyof Settings, text: string, value: unknown][] = [
    ['DATABASE_URL', 'databaseUrl', 'postgres://u:p@h/db', 'postgres://u:p@h/db'],
    ['KENNEL_ADMIN_PASSWORD', 'adminPassword', 'pass word', 'pass word'],
    ['KENNEL_SECRET', 'secret', keyText, key],
    ['KENNEL_SECRET_PREVIOUS', 'previousSecret', keyText, key],
  ];
  for (const [name, field, text, value] of fileSettings) {
    test(`${name}_FILE`, () => {
      for (const newline of ['', '\n', '\r\n']) {
        const path = fileWith(name, `${text}${newline}`);
        assert.deepEqual(readSettings({ [`${name}_FILE`]: path })[field], value);
      }
      const both = problemsOf({ [name]: text, [`${name}_FILE`]: fileWith(name, text) });
      assert.deepEqual(both, [`${name} and ${name}_FILE are both set; expected only one of them`]);
    });
  }

  test('only one trailing newline is dropped', () => {
    const path = fileWith('newlines', ' a\n\n');
    assert.equal(readSettings({ KENNEL_ADMIN_PASSWORD_FILE: path }).adminPassword, ' a\n');
  });

  test('a file that cannot be read is named with the reason', () => {
    const absent = join(directory, 'absent');
    const [problem] = problemsOf({ KENNEL_SECRET_FILE: absent });
    assert.ok(problem?.startsWith(`KENNEL_SECRET_FILE (${absent}) cannot be read: ENOENT: no such file`));
    assert.match(`${problemsOf({ KENNEL_SECRET_FILE: directory })}`, /cannot be read: EISDIR/);
    const binary = fileWith('binary', Buffer.from([0xff, 0xfe]));
    assert.match(`${problemsOf({ KENNEL_ADMIN_PASSWORD_FILE: binary })}`, /cannot be read: .*utf-8/);
  });

  test('an empty file is a problem, not an unset secret', () => {
    assert.match(
      `${problemsOf({ KENNEL_ADMIN_PASSWORD_FILE: fileWith('empty', '\n') })}`,
      /is empty; expected/,
    );
  });

  test('the content is held to the rule of the setting', () => {
    const path = fileWith('short', 'c2hvcnQ=');
    const [problem] = problemsOf({ KENNEL_SECRET_FILE: path });
    assert.ok(
      problem?.startsWith(`The content of KENNEL_SECRET_FILE (${path}) is base64 of 5 bytes; expected`),
    );
  });

  test('other settings have no file form', () => {
    assert.match(`${problemsOf({ KENNEL_HOST_FILE: 'x' })}`, /KENNEL_HOST_FILE is not a setting/);
  });
});

describe('names', () => {
  const nearest: [mistaken: string, meant: string][] = [
    ['KENNEL_PROT', 'KENNEL_PORT'],
    ['KENNEL_HOTS', 'KENNEL_HOST'],
    ['KENNEL_DATADIR', 'KENNEL_DATA_DIR'],
    ['KENNEL_SECRETS_FILE', 'KENNEL_SECRET_FILE'],
    ['KENNEL_LOGLEVEL', 'KENNEL_LOG_LEVEL'],
    ['KENNEL_DATABASE_URL', 'DATABASE_URL'],
  ];
  for (const [mistaken, meant] of nearest) {
    test(`${mistaken} leads to ${meant}`, () => {
      const expected = `${mistaken} is not a setting; did you mean ${meant}?`;
      assert.deepEqual(problemsOf({ [mistaken]: 'x' }), [expected]);
    });
  }

  test('what Kubernetes injects for a service called kennel is ignored', () => {
    const injected = {
      KENNEL_SERVICE_HOST: '10.0.0.1',
      KENNEL_SERVICE_PORT: '8080',
      KENNEL_SERVICE_PORT_HTTP: '8080',
      KENNEL_PORT: 'tcp://10.0.0.1:8080',
      KENNEL_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      KENNEL_PORT_8080_TCP_ADDR: '10.0.0.1',
    };
    assert.deepEqual(readSettings(injected), defaults);
    assert.equal(readSettings(injected, { KENNEL_PORT: '9' }).port, 9);
    assert.equal(problemsOf({}, { KENNEL_PORT: 'tcp://10.0.0.1:8080' }).length, 1);
  });
});

test('all problems are reported at once', () => {
  const problems = problemsOf(
    { KENNEL_PROT: '1', KENNEL_PORT: 'x', KENNEL_TLS_KEY: 'k', KENNEL_SECRET: 'x', DATABASE_URL: 'x' },
    { KENNEL_LOG_LEVEL: 'x' },
  );
  const names = problems.map((problem) => problem.split(' ')[0]);
  assert.deepEqual(names, [
    'KENNEL_PROT',
    'KENNEL_PORT',
    'DATABASE_URL',
    'KENNEL_SECRET',
    'KENNEL_LOG_LEVEL',
    'KENNEL_TLS_KEY',
  ]);
});

describe('secrets stay secret', () => {
  const marker = 'hunter2';
  const urls = [
    'mysql://u:%@h',
    'postgres://u:%@h:port',
    'postgres://u:1%@',
    'postgres://u:1/%@h',
    'u:%@h',
    '% ',
  ];
  const mistakes = urls.map((url) => url.replace('%', marker));
  const names = ['DATABASE_URL', 'KENNEL_SECRET', 'KENNEL_SECRET_PREVIOUS', 'KENNEL_PUBLIC_URL'];

  for (const name of names) {
    test(`${name} is never repeated in a problem`, () => {
      for (const mistake of [...mistakes, `http://u:${marker}@h`, `http:///u:${marker}@h`]) {
        const problems = problemsOf({ [name]: mistake });
        assert.equal(problems.length, 1, mistake);
        assert.ok(!problems.join().includes(marker));
        if (name === 'KENNEL_PUBLIC_URL') continue;
        const fromFile = problemsOf({ [`${name}_FILE`]: fileWith('mistake', mistake) });
        assert.equal(fromFile.length, 1, mistake);
        assert.ok(!fromFile.join().includes(marker));
      }
    });
  }

  test('a clash of two forms repeats neither', () => {
    const env = { KENNEL_ADMIN_PASSWORD: marker, KENNEL_ADMIN_PASSWORD_FILE: fileWith('clash', marker) };
    assert.ok(!problemsOf(env).join().includes(marker));
  });

  test('describeSettings hides every secret and shows the rest', () => {
    const url = `postgres://u:${marker}@x@h1:1,h2:2/db?sslpassword=${marker}&ssl=on`;
    const secrets = {
      KENNEL_ADMIN_PASSWORD: marker,
      KENNEL_SECRET: keyText,
      KENNEL_SECRET_PREVIOUS: keyText,
    };
    const settings = readSettings({
      ...secrets,
      DATABASE_URL: url,
      KENNEL_TLS_CERT: 'c',
      KENNEL_TLS_KEY: 'k',
    });
    assert.deepEqual(describeSettings(settings), {
      ...defaults,
      databaseUrl: 'postgres://u:(hidden)@h1:1,h2:2/db?sslpassword=(hidden)&ssl=on',
      publicUrl: null,
      adminPassword: '(set)',
      secret: '(set)',
      previousSecret: '(set)',
      metricsPort: null,
      providersFile: null,
      collectorsDir: null,
      tls: { certFile: 'c', keyFile: 'k' },
    });
  });

  test('describeSettings shows an unset secret as null and a URL without password unchanged', () => {
    const description = describeSettings(readSettings({ DATABASE_URL: 'postgres://u@h/db' }));
    assert.equal(description.secret, null);
    assert.equal(description.databaseUrl, 'postgres://u@h/db');
  });
});

test('every setting is described once, on one line', () => {
  assert.deepEqual(
    settingDescriptions.map(({ name }) => name),
    settingNames,
  );
  assert.equal(new Set(settingNames).size, settingNames.length);
  for (const { name, defaultText, description } of settingDescriptions) {
    assert.match(defaultText, /^[^\n|]+$/, name);
    assert.match(description, /^[^\n|]+$/, name);
  }
  const withFile = settingDescriptions.filter(({ fileName }) => fileName !== undefined);
  assert.deepEqual(
    withFile.map(({ name }) => name),
    ['DATABASE_URL', 'KENNEL_ADMIN_PASSWORD', 'KENNEL_SECRET', 'KENNEL_SECRET_PREVIOUS'],
  );
});
