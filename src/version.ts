import { readFileSync } from 'node:fs';
import { packageRoot } from './program.ts';

/** The version of this program, from its package.json. */
export const version: string = (
  JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as { version: string }
).version;
