import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { type Environment, isLoopback, readSettings, type Settings, SettingsError } from '../config.ts';

const key = Buffer.alloc(32, 0xfb);
const keyText = key.toString('base64');
const otherKey = Buffer.alloc(32, 7);

function problemsOf(env: Environment): string[] {
  try {
    readSettings(env);
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.problems;
  }
  return [];
}

const accepted: [name: string, text: string, field: keyof Settings, value: unknown][] = [
  ['KENNEL_HOST', '0.0.0.0', 'host', '0.0.0.0'],
  ['KENNEL_HOST', '[::1]', 'host', '::1'],
  ['KENNEL_HOST', 'kennel-1.example.com', 'host', 'kennel-1.example.com'],
  ['KENNEL_PORT', '0', 'port', 0],
  ['KENNEL_PORT', '65535', 'port', 65_535],
  ['KENNEL_DATA_DIR', 'some/where', 'dataDir', resolve('some/where')],
  ['DATABASE_URL', 'postgres://h/db', 'databaseUrl', 'postgres://h/db'],
  ['DATABASE_URL', 'postgresql://u:p%40@h:1/db?ssl=on', 'databaseUrl', 'postgresql://u:p%40@h:1/db?ssl=on'],
  ['DATABASE_URL', 'postgres://u:p,q@h1:1,h2:2/db', 'databaseUrl', 'postgres://u:p,q@h1:1,h2:2/db'],
  ['DATABASE_URL', 'postgres://u:p,q@h/db', 'databaseUrl', 'postgres://u:p,q@h/db'],
  ['KENNEL_DATABASE_POOL', '100', 'databasePool', 100],
  ['KENNEL_DATABASE_PREPARE', 'off', 'databasePrepare', false],
  ['KENNEL_EDITION', 'community', 'edition', 'community'],
  ['KENNEL_PUBLIC_URL', 'https://Example.com/', 'publicUrl', 'https://example.com'],
  ['KENNEL_PUBLIC_URL', 'http://h:8080/a/b/', 'publicUrl', 'http://h:8080/a/b'],
  ['KENNEL_ADMIN_PASSWORD', ' any thing ', 'adminPassword', ' any thing '],
  ['KENNEL_SECRET', keyText, 'secret', key],
  ['KENNEL_SECRET_PREVIOUS', otherKey.toString('base64'), 'previousSecret', otherKey],
  ['KENNEL_AUDIT_RETENTION_DAYS', '0', 'auditRetentionDays', 0],
  ['KENNEL_SESSION_RETENTION_DAYS', '1', 'sessionRetentionDays', 1],
  ['KENNEL_MAX_WAIT_SECONDS', '86400', 'maxWaitSeconds', 86_400],
  ['KENNEL_RATE_LIMIT', '1000000', 'rateLimit', 1_000_000],
  ['KENNEL_METRICS_PORT', '0', 'metricsPort', 0],
  ['KENNEL_METRICS_HOST', '::', 'metricsHost', '::'],
  ['KENNEL_LOG_LEVEL', 'silent', 'logLevel', 'silent'],
  ['KENNEL_LOG_FORMAT', 'json', 'logFormat', 'json'],
];

const port = /a whole number from 0 to 65535/;
const database = /expected postgres:\/\/user:/;
const base64 = /expected base64 of exactly 32 bytes/;
const web = /expected an http or https URL/;
const refused: [name: string, texts: string[], explanation: RegExp][] = [
  ['KENNEL_HOST', ['a b', '-a', 'a..b', '127.1', '1.2.3.256', '[h]', 'h:80', 'http://h', ' '], /a host name/],
  ['KENNEL_HOST', ['a'.repeat(64), `${'a.'.repeat(127)}a`], /a host name/],
  ['KENNEL_PORT', ['65536', '-1', '+1', '0x50', '1e3', ' 80', '80 ', '8.0', '8_0', '٣', '80\n', 'x'], port],
  ['KENNEL_DATA_DIR', [' '], /the path of a directory/],
  [
    'DATABASE_URL',
    ['mysql://h/db', 'h', 'postgres:h', 'POSTGRES//'],
    /does not begin with postgres.* expected/,
  ],
  [
    'DATABASE_URL',
    ['postgres://', 'postgres:///db', 'postgres://u:p@h:port/db', 'postgres://u:%@h/'],
    database,
  ],
  [
    'DATABASE_URL',
    ['postgres://u:1/x@h/db', 'postgres://u:1#x@h', 'postgres://u:1?x@h'],
    /an @ after the host/,
  ],
  ['DATABASE_URL', ['postgres://u:p@h/db\n'], /white space/],
  ['KENNEL_DATABASE_POOL', ['0', '101'], /from 1 to 100 /],
  ['KENNEL_DATABASE_PREPARE', ['true', 'ON', '1'], /on or off/],
  ['KENNEL_EDITION', ['Enterprise', 'free'], /one of enterprise, community/],
  ['KENNEL_PUBLIC_URL', ['h', 'ftp://h', 'http:h', 'http:///h', 'http://', 'http://h:x', 'http://h\\a'], web],
  ['KENNEL_PUBLIC_URL', ['http://u:p@h', 'http://@h'], /contains credentials/],
  ['KENNEL_PUBLIC_URL', ['http://h/?', 'http://h?a=1'], /contains a query/],
  ['KENNEL_PUBLIC_URL', ['http://h/#'], /contains a fragment/],
  ['KENNEL_SECRET', [keyText.slice(0, -1), `${keyText}\n`, ` ${keyText}`, key.toString('base64url')], base64],
  ['KENNEL_SECRET', [`${'A'.repeat(42)}B=`, 'nonsense!'], /not strict base64/],
  ['KENNEL_SECRET', [Buffer.alloc(31).toString('base64')], /is base64 of 31 bytes/],
  ['KENNEL_SECRET_PREVIOUS', [Buffer.alloc(33).toString('base64'), 'x'], base64],
  ['KENNEL_AUDIT_RETENTION_DAYS', ['-1', '36501'], /from 0 to 36500/],
  ['KENNEL_SESSION_RETENTION_DAYS', ['0', '3651'], /from 1 to 3650/],
  ['KENNEL_MAX_WAIT_SECONDS', ['0', '86401'], /from 1 to 86400/],
  ['KENNEL_RATE_LIMIT', ['-1', '1000001'], /from 0 to 1000000/],
  ['KENNEL_METRICS_PORT', ['65536', 'off', 'tcp://10.0.0.1:1'], port],
  ['KENNEL_METRICS_HOST', ['a b'], /a host name/],
  ['KENNEL_LOG_LEVEL', ['INFO', 'verbose'], /one of fatal, error, warn, info, debug, trace, silent/],
  ['KENNEL_LOG_FORMAT', ['text'], /one of auto, json, pretty/],
];

describe('rules', () => {
  for (const [name, text, field, value] of accepted) {
    test(`${name} accepts ${text}`, () => {
      assert.deepEqual(readSettings({ [name]: text })[field], value);
    });
  }

  for (const [name, texts, explanation] of refused) {
    for (const text of texts) {
      test(`${name} refuses ${JSON.stringify(text)}: ${explanation.source}`, () => {
        const [problem = '', ...others] = problemsOf({ [name]: text });
        assert.deepEqual(others, []);
        assert.ok(problem.startsWith(`${name} `));
        assert.match(problem, explanation);
        assert.match(problem, /; expected /);
      });
    }
  }

  test('the rate limit is on by default only beyond loopback', () => {
    assert.equal(readSettings({ KENNEL_HOST: '0.0.0.0' }).rateLimit, 500);
    assert.equal(readSettings({ KENNEL_HOST: '0.0.0.0' }).drainSeconds, 3);
    assert.equal(readSettings({ KENNEL_HOST: '0.0.0.0', KENNEL_DRAIN_SECONDS: '0' }).drainSeconds, 0);
    assert.equal(readSettings({ KENNEL_DRAIN_SECONDS: '30' }).drainSeconds, 30);
    assert.equal(readSettings({ KENNEL_HOST: '0.0.0.0', KENNEL_RATE_LIMIT: '0' }).rateLimit, 0);
    assert.equal(readSettings({ KENNEL_HOST: 'localhost' }).rateLimit, 0);
    assert.equal(readSettings({}, { KENNEL_HOST: '::' }).rateLimit, 500);
  });

  test('TLS takes both files or neither', () => {
    const both = readSettings({ KENNEL_TLS_CERT: 'c.pem', KENNEL_TLS_KEY: 'k.pem' });
    assert.deepEqual(both.tls, { certFile: 'c.pem', keyFile: 'k.pem' });
    const expected = 'KENNEL_TLS_CERT is set without KENNEL_TLS_KEY; expected both or neither';
    assert.deepEqual(problemsOf({ KENNEL_TLS_CERT: 'c.pem' }), [expected]);
    assert.match(
      `${problemsOf({ KENNEL_TLS_KEY: 'k.pem' })}`,
      /^KENNEL_TLS_KEY is set without KENNEL_TLS_CERT/,
    );
    assert.equal(problemsOf({ KENNEL_TLS_KEY: ' ', KENNEL_TLS_CERT: 'c.pem' }).length, 1);
  });

  test('a long value is cut short in the problem', () => {
    assert.ok(`${problemsOf({ KENNEL_PORT: '9'.repeat(10_000) })}`.length < 250);
  });

  test('isLoopback', () => {
    const near = [
      'localhost',
      'LocalHost',
      '127.0.0.1',
      '127.255.255.254',
      '::1',
      '[::1]',
      '::ffff:127.0.0.1',
    ];
    const far = [
      '',
      '0.0.0.0',
      '::',
      '[::]',
      '128.0.0.1',
      '127.example.com',
      'localhost.evil.com',
      '127.1',
      '[]',
    ];
    assert.deepEqual(near.filter(isLoopback), near);
    assert.deepEqual(far.filter(isLoopback), []);
  });
});
