import { basename } from 'node:path';
import { prepareStores } from '../src/bootstrap.ts';
import { readSettings } from '../src/config.ts';
import { openStores } from '../src/db/open.ts';
import { exportOpenGraph } from '../src/graph/export.ts';
import { defaultIngestLimits, ingestFile } from '../src/graph/ingest/ingest-file.ts';
import { FileAccess, readRange } from '../src/graph/ingest/reader/random-access.ts';

/**
 * What is in the graph after these files and before any analysis, as an export tells it. The store is the one of the
 * settings (DATABASE_URL, KENNEL_DATA_DIR), which should be empty.
 */
export async function graphOfFiles(files: readonly string[]): Promise<string> {
  const settings = readSettings(process.env);
  const stores = openStores(settings);
  try {
    await prepareStores(stores, settings, Date.now());
    for (const [index, file] of files.entries()) {
      const bytes = await FileAccess.open(file);
      try {
        const source = {
          name: basename(file),
          size: bytes.size,
          open: () => readRange(bytes),
          randomAccess: bytes,
        };
        const options = { fileId: String(index), seenAt: Date.now(), limits: defaultIngestLimits };
        for (const { name, errors } of await ingestFile(stores.graph, source, options))
          if (errors.length > 0) throw new Error(`${name}: ${errors.join('; ')}`);
      } finally {
        await bytes.close();
      }
    }
    let text = '';
    await exportOpenGraph(stores.graph, async (piece) => {
      text += piece;
    });
    return text;
  } finally {
    await stores.close();
  }
}
