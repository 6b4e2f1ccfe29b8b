import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startBar } from './bar.ts';
import { temporaryFolder } from './folder.ts';
import { usualObjects, writeTenant } from './generator/azure.ts';
import { generate, type Made, measure, onStore, optionOf, storesOf } from './ingest.ts';
import { type Pair, printTenants } from './ingest-report.ts';

/** A tenant, and beside it an estate of as many objects, through the command that operators use. */
export async function benchTenants(args: readonly string[]): Promise<void> {
  const objects = Number(optionOf(args, 'objects') ?? (args.includes('--quick') ? 3000 : usualObjects));
  if (!Number.isInteger(objects) || objects < 1000) throw new Error('--objects must be a number from 1000');
  const seed = Number(optionOf(args, 'seed') ?? 1);
  const folder = temporaryFolder('bench-azure');
  const pairs: Pair[] = [];
  try {
    const tenant = await makeTenant(join(folder, 'tenant.json'), objects, seed);
    const directory = await generate(join(folder, 'estate'), tenant.objects, seed);
    for (const store of storesOf(args)) {
      const read = (made: Made) => onStore(store, folder, (env) => measure(store, env, made));
      pairs.push({ directory: await read(directory), tenant: await read(tenant) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  printTenants(pairs);
}

async function makeTenant(path: string, objects: number, seed: number): Promise<Made> {
  const bar = startBar(`making a tenant of ${objects} objects`, objects);
  const made = await writeTenant({ path, objects, seed, onProgress: (done) => bar.update(done) });
  bar.stop();
  return made;
}
