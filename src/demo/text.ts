import type { DemoCommand } from './commands.ts';

interface Facts {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
  readonly client_token: string;
  readonly curl: readonly DemoCommand[];
  readonly more: readonly DemoCommand[];
}

/** What a person reads: the long values once, then lines that use them. */
export function demoText(facts: Facts, dataDir: string): string {
  const lines = (commands: readonly DemoCommand[]) =>
    commands.map(({ operation, command }) => `\n# ${operation}\n${command}`);
  return [
    `Kennel's demonstration is ready at ${facts.url} (API page: ${facts.url}/api/docs)`,
    '',
    `Administrator:  ${facts.username}`,
    `Password:       ${facts.password}`,
    '',
    "Paste this once into another terminal; it has the administrator's token and a collector's:",
    '',
    `export URL=${facts.url} TOKEN=${facts.token} CLIENT_TOKEN=${facts.client_token}`,
    '',
    'The eight operations, ready to paste after it:',
    ...lines(facts.curl),
    '',
    'What ninety days of analysis show:',
    ...lines([
      ...facts.more,
      { operation: 'Print posture here', command: `npx kennel posture --days 90 --data-dir '${dataDir}'` },
    ]),
    '',
    'Press Ctrl+C to stop.',
  ].join('\n');
}
