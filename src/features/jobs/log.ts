import type { Reader } from '../../db/client.ts';
import { onOneLine } from '../../values/text.ts';
import { formatRfc3339 } from '../../values/time.ts';
import { listErrorsBetween } from '../clients/registry/index.ts';
import { arrivedOf, arrivedWords } from './arrived.ts';
import { messageOf } from './schema.ts';
import { statusWords } from './states.ts';
import { type JobRow, listDomainResults } from './store.ts';

/** What is known of a job, one line for each thing that happened, in order. */
export async function readLog(db: Reader, job: JobRow): Promise<string> {
  const until = job.end_time ?? Number.MAX_SAFE_INTEGER;
  const lines: [at: number, what: string][] = [
    [job.created_at, `created for collector ${job.client_name}${job.event_title && ` (${job.event_title})`}`],
  ];
  if (job.start_time !== null) {
    lines.push([job.start_time, 'started']);
    for (const error of await listErrorsBetween(db, job.client_id, job.start_time, until))
      lines.push([error.at, `the collector reports an error: ${error.message}`]);
  }
  if (job.last_ingest !== null) lines.push([job.last_ingest, 'the last data arrived']);
  if (job.end_time !== null) {
    for (const result of await listDomainResults(db, job.id)) lines.push([job.end_time, resultLine(result)]);
    lines.push([job.end_time, `arrived: ${arrivedWords(arrivedOf(job))}`]);
    lines.push([job.end_time, `ended: ${messageOf(job)}`]);
  }
  lines.sort(([a], [b]) => a - b);
  lines.push([job.updated_at, `now ${statusWords[job.status].toLowerCase()}`]);
  return lines.map(([at, what]) => `${formatRfc3339(at)} ${onOneLine(what)}\n`).join('');
}

function resultLine({
  domain_name,
  success,
  message,
}: {
  domain_name: string;
  success: number;
  message: string;
}) {
  return `domain ${domain_name}: ${success !== 0 ? 'collected' : 'not collected'}${message && `, ${message}`}`;
}
