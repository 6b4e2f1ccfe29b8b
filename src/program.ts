import { fileURLToPath } from 'node:url';

/** The folder of this package: both `src/program.ts` and every file of `dist` lie one below it. */
export const packageRoot = new URL('../', import.meta.url);

/** Whether TypeScript runs as it was written, instead of what `scripts/build.js` made of it. */
export const isSource = import.meta.url.endsWith('.ts');

/** The file that a process or a thread of this program starts from; `scripts/build.js` makes one for each. */
export function entryPoint(
  source: 'db/sqlite-thread' | 'features/analysis/child' | 'features/reading/child',
) {
  return fileURLToPath(
    new URL(isSource ? `src/${source}.ts` : `dist/${source.replaceAll('/', '-')}.js`, packageRoot),
  );
}
