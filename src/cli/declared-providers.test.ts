import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { call, temporaryStore } from '../../test/server/harness.ts';
import { makeMetadata } from '../../test/sso/saml-metadata.ts';
import { StartError } from '../bootstrap.ts';
import { readSettings } from '../config.ts';
import { declareProviders } from './declared-providers.ts';
import { startServer } from './run-server.ts';

describe('KENNEL_PROVIDERS_FILE', () => {
  let store: Awaited<ReturnType<typeof temporaryStore>>;
  let file: string;

  beforeEach(async () => {
    store = await temporaryStore();
    file = join(store.env.KENNEL_DATA_DIR ?? '', 'providers.json');
  });

  afterEach(() => store.remove());

  const start = (env: Record<string, string> = {}) =>
    startServer(readSettings({ ...store.env, ...env }), { prepare: declareProviders });

  it('is applied before the first request, and no longer counts once it is unset', async () => {
    writeFileSync(file, JSON.stringify({ providers: [{ name: 'Corp', metadata: makeMetadata() }] }));
    const named = async (env: Record<string, string>) => {
      const server = await start(env);
      const { body } = await call(server.url, 'GET', '/api/v2/sso-providers');
      const row = await server.deps.db.one<{ declared_in: string }>('select declared_in from sso_providers');
      await server.stop();
      return [body.data.map(({ slug }: { slug: string }) => slug), row?.declared_in];
    };
    const declared = [['corp'], file];
    assert.deepEqual(await named({ KENNEL_PROVIDERS_FILE: file }), declared);
    assert.deepEqual(await named({ KENNEL_PROVIDERS_FILE: file }), declared);
    assert.deepEqual(await named({}), [['corp'], null]);
  });

  it('stops the start when it is bad, and leaves the store to the next one', async () => {
    writeFileSync(file, '{"providers":[{"name":"","metadata":"<a/>"}]}');
    await assert.rejects(start({ KENNEL_PROVIDERS_FILE: file }), (error: Error) => {
      assert.ok(error instanceof StartError);
      assert.match(
        error.message,
        /KENNEL_PROVIDERS_FILE is not valid.*providers\.json\n {2}- providers\.0\.name/,
      );
      assert.match(
        error.message,
        /\n {2}- providers\.0\.metadata: the root element must be EntityDescriptor/,
      );
      return true;
    });
    const server = await start();
    assert.deepEqual((await call(server.url, 'GET', '/api/v2/sso-providers')).body, { data: [] });
    await server.stop();
  });
});
