// Compiles src/ to dist/. With --if-possible (npm's `prepare`) a missing compiler is fine as long as an
// earlier build exists: that is how a production install (`npm ci --omit=dev`) keeps what was built before.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = findCompiler();

if (compiler === undefined) {
  const built = existsSync(join(root, 'dist', 'main.js'));
  if (built && process.argv.includes('--if-possible')) process.exit(0);
  console.error(
    'The TypeScript compiler is not installed. Run `npm ci` (without --omit=dev) to build Kennel.',
  );
  process.exit(1);
}

rmSync(join(root, 'dist'), { recursive: true, force: true });
const build = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
process.exit(build.status ?? 1);

function findCompiler() {
  try {
    // The package exports no path to its program, only its own package.json.
    return join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  } catch {
    return undefined;
  }
}
