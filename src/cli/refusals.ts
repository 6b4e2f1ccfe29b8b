/** What an operator can mend, in one sentence; undefined for everything else. */
export function storeRefusal(error: unknown): string | undefined {
  const { code, errcode, path } = (error ?? {}) as { code?: unknown; errcode?: unknown; path?: unknown };
  const place = typeof path === 'string' ? path : 'the data directory (KENNEL_DATA_DIR) or a file in it';
  const remedy = typeof errcode === 'number' ? sqliteReasons[errcode & 0xff] : fileReasons[String(code)];
  return remedy === undefined ? undefined : `${place} ${remedy}`;
}

const mayNotWrite =
  'can not be written by this account: give it the rights (the directory must be writable too), or choose another KENNEL_DATA_DIR';
const isFull = 'is on a disk that is full: make room and start again; nothing that was acknowledged is lost';

const fileReasons: Readonly<Record<string, string>> = {
  EACCES: mayNotWrite,
  EPERM: mayNotWrite,
  EROFS: 'is on a file system that is read-only: choose another KENNEL_DATA_DIR',
  EISDIR: 'is a directory, but a file is expected there: move it away',
  ENOTDIR: 'lies under something that is no directory: choose another KENNEL_DATA_DIR',
  EEXIST: 'is a file, but a directory is expected there: choose another KENNEL_DATA_DIR',
  ENOSPC: isFull,
  EDQUOT: isFull,
};

/** By SQLite's primary result codes. */
const sqliteReasons: Readonly<Record<number, string>> = {
  3: mayNotWrite,
  8: mayNotWrite,
  10: 'could not be read or written: the disk or the network drive has failed, see its own log',
  11: 'is damaged: restore it from a backup (docs/operations.md)',
  13: isFull,
  14: 'could not be opened: it must be a file that this account may read and write, in a directory that it may write',
  26: 'is not a database of Kennel: move the file away, or choose another KENNEL_DATA_DIR',
};
