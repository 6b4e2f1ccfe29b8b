import Type from 'typebox';
import { Struct } from '../../http/schemas.ts';
import { collectorTypes, latestOf, type Release } from './catalog.ts';

export const CollectorTypeName = Type.Enum([...collectorTypes], { description: 'Which collector' });

/** `latest`, or a version with or without its v. */
export const VersionName = Type.String({
  pattern: '^(latest|v?[0-9]{1,6}\\.[0-9]{1,6}\\.[0-9]{1,6}(-[0-9A-Za-z.\\-]{1,40})?)$',
  description: '`latest`, or a version such as `v2.5.9`',
});

export const Versions = Struct({
  data: Struct({
    latest: Type.String({ description: 'Empty where there is none' }),
    versions: Type.Array(
      Struct({
        version: Type.String(),
        sha256sum: Type.String({ description: 'SHA-256 of the file, in lower-case hexadecimal' }),
        deprecated: Type.Boolean({ description: 'Whether a newer version is there' }),
      }),
    ),
  }),
});

const ManifestEntry = Struct({
  version: Type.String(),
  version_meta: Struct({
    major: Type.Integer(),
    minor: Type.Integer(),
    patch: Type.Integer(),
    prerelease: Type.String(),
  }),
  release_date: Type.String({ description: 'When the file was last changed here, RFC 3339' }),
  release_assets: Type.Array(
    Struct({
      name: Type.String(),
      download_url: Type.String({ description: 'Path on this server; needs a token' }),
      checksum_download_url: Type.String(),
      os: Type.String({ description: 'Empty where the file name does not tell' }),
      arch: Type.String(),
    }),
  ),
});

export const Manifest = Struct({
  data: Type.Record(Type.String(), Type.Array(ManifestEntry)),
});

export function toVersions(releases: readonly Release[]) {
  const latest = latestOf(releases);
  return {
    data: {
      latest: latest?.version.text ?? '',
      versions: releases.map((release) => ({
        version: release.version.text,
        sha256sum: release.sha256,
        deprecated: release.version.text !== latest?.version.text,
      })),
    },
  };
}

/** One entry a version, with all files of it. */
export function toManifest(releases: readonly Release[]) {
  const versions = new Map(releases.map(({ version }) => [version.text, version]));
  return [...versions.values()].map(({ text, major, minor, patch, prerelease }) => {
    const files = releases.filter(({ version }) => version.text === text);
    return {
      version: text,
      version_meta: { major, minor, patch, prerelease },
      release_date: new Date(Math.max(...files.map(({ modifiedAt }) => modifiedAt))).toISOString(),
      release_assets: files.map(({ type, fileName, os, arch }) => {
        const path = `/api/v2/collectors/${type}/${text}`;
        const platform = os === '' ? '' : `?os=${os}&arch=${arch}`;
        return {
          name: fileName,
          download_url: `${path}${platform}`,
          checksum_download_url: `${path}/checksum${platform}`,
          os,
          arch,
        };
      }),
    };
  });
}
