// Bundles src/ into the few files of dist/ and links the command for `npx kennel`. With --if-possible (npm's
// `prepare`) a missing bundler is fine as long as an earlier build exists: that is how a production install
// (`npm ci --omit=dev`) keeps what was built before.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

/** What starts a process or a thread; `entryPoint` in src/program.ts knows the names. */
const entryPoints = ['main', 'db/sqlite-thread', 'features/analysis/child', 'features/reading/child'];

/** Native code, and what reads files of its own: as they are installed. */
const external = ['@photostructure/sqlite', '@node-rs/argon2', '@fastify/swagger-ui'];

const bundler = await import('esbuild').catch((error) => {
  if (error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
  throw error;
});
if (bundler !== undefined) {
  rmSync(dist, { recursive: true, force: true });
  await bundle(bundler);
} else if (!existsSync(join(dist, 'main.js')) || !process.argv.includes('--if-possible')) {
  console.error('The bundler is not installed. Run `npm ci` (without --omit=dev) to build Kennel.');
  process.exit(1);
}
linkCommand();

async function bundle({ build }) {
  await build({
    absWorkingDir: root,
    entryPoints: entryPoints.map((path) => ({ in: `src/${path}.ts`, out: path.replaceAll('/', '-') })),
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'eof',
    external,
    // Bundled CommonJS packages ask for Node's own modules by `require`, which a module does not have.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

/**
 * `npx kennel` runs what is linked here. Were the command in package.json, npm would look no further and install the
 * whole clone into a cache of its own first; so `scripts/pack.js` names it there for the packed package alone.
 */
function linkCommand() {
  const modules = join(root, 'node_modules');
  // Inside an installed package, npm has linked the command already.
  if (!existsSync(modules)) return;
  const link = join(modules, '.bin', 'kennel');
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join('..', '..', 'bin', 'kennel.js'), link);
}
