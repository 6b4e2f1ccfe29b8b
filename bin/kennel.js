#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Newer versions of Node keep what they compiled. Beside the program: whoever can write there can change the program
// itself, which is not true of the folder for temporary files that is usual. Not writable, it is not used.
if (process.env.NODE_COMPILE_CACHE === undefined) {
  const { directory } =
    module.enableCompileCache?.(fileURLToPath(new URL('../dist/.compiled', import.meta.url))) ?? {};
  // For the processes that this one starts.
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory;
}
await import('../dist/main.js');
