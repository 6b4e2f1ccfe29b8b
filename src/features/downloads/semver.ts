/** A version as collectors write it: `v2.5.9`, `2.5.9-rc1`. */
export interface Version {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Empty for a release. */
  readonly prerelease: string;
}

export function parseVersion(text: string): Version | undefined {
  const parts = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z.-]{1,40}))?$/.exec(text);
  if (parts === null) return undefined;
  const [, major, minor, patch, prerelease = ''] = parts;
  return { text, major: Number(major), minor: Number(minor), patch: Number(patch), prerelease };
}

/** Below zero where the first is older. A pre-release comes before its release; two of one by their text. */
export function compareVersions(a: Version, b: Version): number {
  const byNumber = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  if (byNumber !== 0 || a.prerelease === b.prerelease) return byNumber;
  if (a.prerelease === '') return 1;
  if (b.prerelease === '') return -1;
  return a.prerelease < b.prerelease ? -1 : 1;
}
