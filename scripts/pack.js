// `npm pack` names the command in the package that it makes (`--begin`) and in it alone (`--end`): why not always is
// told in scripts/build.js.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package.json', import.meta.url);
const { bin, ...manifest } = JSON.parse(readFileSync(file, 'utf8'));
const packed = process.argv.includes('--begin')
  ? { ...manifest, bin: { kennel: 'bin/kennel.js' } }
  : manifest;
writeFileSync(file, `${JSON.stringify(packed, null, 2)}\n`);
