import type { Command } from 'commander';

interface CommandEntry {
  readonly name: string;
  readonly description: string;
  /** Loads all that the command needs, and nothing of the others, and gives it its options and its action. */
  load(): Promise<{ define(command: Command): void }>;
}

export const commands: readonly CommandEntry[] = [
  { name: 'serve', description: 'Start the server', load: () => import('./serve.ts') },
  {
    name: 'demo',
    description: 'Start the server on a fresh demonstration estate in <data dir>/demo',
    load: () => import('./demo.ts'),
  },
  {
    name: 'token',
    description: 'Print a JWT for scripts; it can be ended like any other session',
    load: () => import('./token.ts'),
  },
  {
    name: 'reset-password',
    description:
      'Give a user a new password; enables them, takes them off single sign-on, ends their sessions and suspends their API tokens',
    load: () => import('./reset-password.ts'),
  },
  {
    name: 'migrate',
    description: 'Bring the schema of the store up to this version; `serve` does it too',
    load: () => import('./migrate.ts'),
  },
  {
    name: 'config',
    description: 'Settings of the process and configuration parameters of the store',
    load: () => import('./config.ts'),
  },
  {
    name: 'audit',
    description: 'The audit log and the chain that protects it',
    load: () => import('./audit.ts'),
  },
  {
    name: 'doctor',
    description: 'Say what keeps the server from its work, such as a clock that is far away',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'export',
    description: 'Write the whole graph; a server may be running',
    load: () => import('./export.ts'),
  },
  {
    name: 'openapi',
    description: 'Print the OpenAPI document of this version',
    load: () => import('./openapi.ts'),
  },
  {
    name: 'ingest',
    description: 'Read files of collectors into the graph: here, or through a server',
    load: () => import('./ingest.ts'),
  },
  {
    name: 'analyze',
    description: 'Analyse the graph: here, or by the server that runs on this store',
    load: () => import('./analyze.ts'),
  },
  {
    name: 'posture',
    description: 'Print how the posture of each environment has changed; a server may be running',
    load: () => import('./posture.ts'),
  },
];
