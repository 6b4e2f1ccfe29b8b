import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { startsLikeZip } from '../graph/ingest/reader/random-access.ts';
import { CommandError, exitCodes } from './output.ts';

/** A file named on the command line. */
export interface GivenFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly kind: 'json' | 'zip';
}

/** What became of a file, as the API says it. */
export interface FileOutcome {
  readonly file_name: string;
  readonly parent_file_name: string;
  readonly outcome: 'complete' | 'failed';
  readonly records: number;
  readonly nodes: number;
  readonly edges: number;
  readonly withdrawn: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
}

export interface Ingested {
  readonly uploadId: number;
  readonly status: number;
  readonly message: string;
  /** Left out where nobody waited for it. */
  readonly files: readonly FileOutcome[] | undefined;
}

/** Looks at all of them before anything is done with one. */
export async function findFiles(paths: readonly string[]): Promise<GivenFile[]> {
  const files: GivenFile[] = [];
  for (const path of paths) {
    try {
      const handle = await open(path, 'r');
      try {
        const stat = await handle.stat();
        if (!stat.isFile()) throw new CommandError(`${path} is not a file`, exitCodes.usage);
        const head = Buffer.alloc(4);
        const { bytesRead } = await handle.read(head, 0, 4, 0);
        const kind = startsLikeZip(head.subarray(0, bytesRead)) ? 'zip' : 'json';
        files.push({ path, name: basename(path), size: stat.size, kind });
      } finally {
        await handle.close();
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || error instanceof CommandError) throw error;
      throw new CommandError(`${path} can't be read (${code})`, exitCodes.usage);
    }
  }
  return files;
}

/** The bytes of a file, with a word about how many there were so far. */
export async function* bytesOf(
  { path }: GivenFile,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    yield chunk as Buffer;
    bytes += (chunk as Buffer).length;
    onBytes(bytes);
  }
}
