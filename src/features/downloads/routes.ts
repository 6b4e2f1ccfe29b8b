import { createReadStream } from 'node:fs';
import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { Document, type Register } from '../../http/operation.ts';
import { NoJson, Struct } from '../../http/schemas.ts';
import {
  Catalog,
  type CollectorType,
  communityTypes,
  enterpriseTypes,
  type Platform,
  type Release,
} from './catalog.ts';
import { CollectorTypeName, Manifest, toManifest, toVersions, VersionName, Versions } from './schema.ts';

const platformQuery = Struct({
  os: Type.Optional(
    Type.String({ maxLength: 20, description: 'Where a version has a file for each system' }),
  ),
  arch: Type.Optional(Type.String({ maxLength: 20 })),
});
const path = Struct({ collector_type: CollectorTypeName, release_tag: VersionName });
const nothing = 'there is no azurehound v9.9.9 here: GET /api/v2/collectors/azurehound lists what there is';

/** Collectors to download, from the folder that the operator fills (`KENNEL_COLLECTORS_DIR`). */
export function registerDownloads(
  register: Register,
  { settings, log }: Pick<Deps, 'settings' | 'log'>,
): void {
  const catalog = new Catalog(settings.collectorsDir, log);
  const common = { method: 'GET', tag: 'Downloads', access: 'signed-in' } as const;

  register({
    ...common,
    id: 'GetCollectorManifest',
    url: '/api/v2/collectors/{collector_type}',
    summary: 'The versions of a collector that can be downloaded here, newest first',
    path: Struct({ collector_type: CollectorTypeName }),
    volatile: true,
    answer: Versions,
    answerExample: {
      data: { latest: 'v2.5.9', versions: [{ version: 'v2.5.9', sha256sum: '9f86d0…', deprecated: false }] },
    },
    handle: async ({ path }) => toVersions(await catalog.releases(path.collector_type)),
  });

  register({
    ...common,
    id: 'DownloadCollector',
    url: '/api/v2/collectors/{collector_type}/{release_tag}',
    summary: 'The zip archive of a version of a collector',
    path,
    query: platformQuery,
    volatile: true,
    answer: NoJson,
    documents: { 'application/zip': 'The file as the operator put it there' },
    errors: { not_found: nothing },
    handle: async ({ path, query }) => {
      const release = await getRelease(catalog, path.collector_type, path.release_tag, query);
      return new Document('application/zip', createReadStream(release.path), release.fileName);
    },
  });

  register({
    ...common,
    id: 'DownloadCollectorChecksum',
    url: '/api/v2/collectors/{collector_type}/{release_tag}/checksum',
    summary: 'The SHA-256 of that archive, as sha256sum writes and checks it',
    path,
    query: platformQuery,
    volatile: true,
    answer: NoJson,
    documents: { 'text/plain': 'Checksum and file name' },
    errors: { not_found: nothing },
    handle: async ({ path, query }) => {
      const { fileName, sha256 } = await getRelease(catalog, path.collector_type, path.release_tag, query);
      return new Document('text/plain', `${sha256}  ${fileName}\n`, `${fileName}.sha256`);
    },
  });

  for (const { id, url, types } of manifests)
    register({
      ...common,
      id,
      url,
      summary: 'All versions of these collectors with their files',
      volatile: true,
      answer: Manifest,
      answerExample: { data: { sharphound: [] } },
      handle: async () => {
        const entries = types.map(async (type) => [type, toManifest(await catalog.releases(type))] as const);
        return { data: Object.fromEntries(await Promise.all(entries)) };
      },
    });
}

const manifests = [
  { id: 'ListCommunityCollectors', url: '/api/v2/kennel/manifest', types: communityTypes },
  { id: 'ListEnterpriseCollectors', url: '/api/v2/kennel/enterprise-manifest', types: enterpriseTypes },
] as const;

async function getRelease(
  catalog: Catalog,
  type: CollectorType,
  tag: string,
  platform: Platform,
): Promise<Release> {
  const found = await catalog.find(type, tag, platform);
  if (found !== undefined) return found;
  throw new AppError(
    'not_found',
    `there is no ${type} ${tag} here: GET /api/v2/collectors/${type} lists what there is`,
  );
}
