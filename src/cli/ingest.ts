import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { jobStatus, statusWords } from '../features/jobs/index.ts';
import { type FileOutcome, findFiles, type Ingested } from './ingest-files.ts';
import { ingestLocally } from './ingest-local.ts';
import { ingestRemotely } from './ingest-remote.ts';
import { CommandError, exitCodes, printResult } from './output.ts';
import { ProgressLine } from './progress.ts';
import { commandSettings, withSettings } from './settings.ts';
import { withStore } from './store.ts';

interface IngestFlags {
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
  readonly tokenFile?: string;
}

export function define(command: Command): void {
  command
    .argument('<file...>', 'JSON files or zip archives')
    .option('--wait', 'wait until a server has read the files, and tell what became of them')
    .option('--json', 'print one JSON line')
    .option('--url <url>', 'upload to the server at this address instead of using the store here')
    .option('--token <jwt>', 'token for --url, as `kennel token` prints it')
    .option('--token-file <file>', 'file that holds the token');
  withSettings(command).action(async (paths: string[], options: IngestFlags) => {
    const files = await findFiles(paths);
    const progress = new ProgressLine(options.json !== true);
    const wait = options.wait === true;
    const done =
      options.url === undefined
        ? await withStore(commandSettings(command), (deps) => ingestLocally(deps, files, progress, wait))
        : await ingestRemotely(
            { url: checkUrl(options.url), token: tokenOf(options) },
            files,
            progress,
            wait,
          );
    report(done, options.json);
  });
}

function checkUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new CommandError(`--url must be an http or https address, but is ${url}`, exitCodes.usage);
}

function tokenOf({ token, tokenFile }: IngestFlags): string {
  if ((token === undefined) === (tokenFile === undefined))
    throw new CommandError('with --url give either --token or --token-file', exitCodes.usage);
  return (token ?? readFileSync(String(tokenFile), 'utf8')).trim();
}

function report({ uploadId, status, message, files }: Ingested, asJson: boolean | undefined): void {
  const failed = files?.filter(({ outcome }) => outcome === 'failed').length ?? 0;
  printResult(
    {
      upload_id: uploadId,
      status,
      status_message: message,
      ...(files === undefined
        ? {}
        : { total_files: files.length, failed_files: failed, files: files.map(plain) }),
    },
    files === undefined
      ? `upload ${uploadId}: handed to the server, which reads files in their turn`
      : [...files.flatMap(lines), `upload ${uploadId}: ${message}`],
    asJson,
  );
  if (files === undefined) return;
  if (failed > 0)
    throw new CommandError(`${failed} of ${files.length} files could not be read`, exitCodes.unread);
  // Read, and left to whoever analyses.
  if (status === jobStatus.analyzing) return;
  if (status !== jobStatus.complete)
    throw new CommandError(
      `upload ${uploadId} ended as ${statusWords[status as keyof typeof statusWords].toLowerCase()}`,
      exitCodes.unread,
    );
}

const toldOfFile = [
  'file_name',
  'parent_file_name',
  'outcome',
  'records',
  'nodes',
  'edges',
  'withdrawn',
  'skipped',
  'warnings',
  'errors',
] as const satisfies readonly (keyof FileOutcome)[];

/** Without what only the API's own records have. */
function plain(file: FileOutcome): Partial<FileOutcome> {
  return Object.fromEntries(toldOfFile.map((name) => [name, file[name]]));
}

function lines(file: FileOutcome): string[] {
  const name = file.parent_file_name === '' ? file.file_name : `${file.parent_file_name}: ${file.file_name}`;
  const skipped = Object.entries(file.skipped).map(([kind, count]) => `${count} ${kind}`);
  return [
    file.outcome === 'failed'
      ? `failed    ${name}`
      : `complete  ${name}: ${file.records} records, ${file.nodes} nodes, ${file.edges} edges, ${file.withdrawn} withdrawn`,
    ...file.errors.map((error) => `          ${error}`),
    ...file.warnings.map((warning) => `          warning: ${warning}`),
    ...(skipped.length === 0 ? [] : [`          not read yet: ${skipped.join(', ')}`]),
  ];
}
