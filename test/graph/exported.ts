import type { OpenGraphFile } from '../../scripts/compare-graphs.ts';
import type { Db } from '../../src/db/client.ts';
import { exportOpenGraph } from '../../src/graph/export.ts';
import { defaultIngestLimits, ingestFile } from '../../src/graph/ingest/ingest-file.ts';
import type { FileResult } from '../../src/graph/ingest/result.ts';

let serial = 0;

/** Takes a file into the graph, as it would be read from a disk. */
export function ingestJson(graph: Db, content: unknown, seenAt: number): Promise<FileResult[]> {
  const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  const name = `file-${++serial}.json`;
  const source = {
    name,
    size: bytes.length,
    async *open() {
      yield bytes;
    },
  };
  return ingestFile(graph, source, { fileId: name, seenAt, limits: defaultIngestLimits });
}

export async function exported(graph: Db): Promise<OpenGraphFile> {
  let text = '';
  await exportOpenGraph(graph, async (piece) => {
    text += piece;
  });
  return JSON.parse(text);
}
