import { createHash } from 'node:crypto';
import { convertAzureItem, kindOfItem, ownIdOfItem } from '../convert/azure.ts';
import { findConverter } from '../convert/converters.ts';
import { plainId } from '../convert/draft.ts';
import { convertOpenGraphEdge, convertOpenGraphNode, readOpenGraphMetadata } from '../convert/opengraph.ts';
import { addingOnly, type Standing, standingOf } from '../convert/standing.ts';
import type { Context, Converter } from '../convert/statements.ts';
import { hasUnsafeName } from '../convert/unsafe-names.ts';
import type { Envelope } from '../reader/envelope.ts';
import type { ReadLimits } from '../reader/limits.ts';
import { FileProblem, unsafeMember } from '../reader/problem.ts';
import { type ReadRecord, readFile, type Section } from '../reader/read-records.ts';
import type { KnownRecord } from './node-rows.ts';
import type { Report } from './report.ts';
import { batchCharacters, batchRecords, type StagedRecord } from './staged.ts';

/** To be raised when the same record says something else than before: all are then applied again. */
const conversion = 1;

/**
 * An unchanged record is applied again when it was last applied longer ago than this, so that what it states is
 * never taken for unseen; whoever removes the unseen waits this much longer.
 */
export const refreshAfterMs = 36 * 60 * 60 * 1000;

export interface Reading {
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly limits: ReadLimits;
  readonly seenAt: number;
  readonly report: Report;
  /** The domains that the collection is known to speak for; otherwise its file tells. */
  readonly domains: ReadonlySet<string> | undefined;
  /** What the store knows of these objects' records; undefined when every record has to be applied. */
  readonly lookUp: ((objectIds: readonly string[]) => Promise<ReadonlyMap<string, KnownRecord>>) | undefined;
  /** Called between batches; may throw to end the reading. */
  readonly onBatch: () => void;
}

/** Reads a file and says what its records state, in batches that memory can hold. */
export async function* readStatements(reading: Reading): AsyncGenerator<StagedRecord[], void, undefined> {
  const { open, limits, report, onBatch } = reading;
  let plan: Plan | undefined;
  let batch: ReadRecord[] = [];
  let characters = 0;
  for await (const events of readFile(open, limits)) {
    for (const event of events) {
      if (event.kind === 'envelope') plan = planOf(event.envelope);
      else if (event.kind === 'end') for (const warning of event.warnings) report.warn(warning);
      else {
        batch.push(event);
        characters += event.text.length;
        if (batch.length < batchRecords && characters < batchCharacters) continue;
        const staged = await stage(batch, plan, reading);
        batch = [];
        characters = 0;
        onBatch();
        if (report.errors.length === 0) yield staged;
        else if (report.hasEnoughErrors) throw new FileProblem('the file has bad records');
      }
    }
  }
  const staged = await stage(batch, plan, reading);
  onBatch();
  if (report.errors.length > 0) throw new FileProblem('the file has bad records');
  if (staged.length > 0) yield staged;
}

interface Plan {
  readonly converters: Readonly<Record<Section, Converter | undefined>>;
  readonly context: Omit<Context, 'index'>;
  /** The id of the object that a record is about, if it is about one, per section. */
  readonly ownIds: Readonly<Partial<Record<Section, (record: unknown) => string | undefined>>>;
  /** Only Active Directory's objects have several collections that list them. */
  readonly standing?: (record: unknown) => Standing;
  readonly salt: string;
  /** What a record is counted as. */
  readonly kindOf: (record: ReadRecord) => string;
}

function planOf(envelope: Envelope): Plan {
  const salt = (...facts: unknown[]) => digest(JSON.stringify([conversion, ...facts])).slice(0, 10);
  if (envelope.format === 'opengraph') {
    const { sourceKind, problems } = readOpenGraphMetadata({ source_kind: envelope.sourceKind });
    const [problem] = problems;
    if (problem !== undefined) throw new FileProblem(`${problem.path} ${problem.reason}`);
    return {
      converters: { data: undefined, nodes: convertOpenGraphNode, edges: convertOpenGraphEdge },
      context: { methods: 0, version: 0, ...(sourceKind === undefined ? {} : { sourceKind }) },
      ownIds: { nodes: (record) => ownId(record, 'id') },
      salt: salt('opengraph', sourceKind),
      kindOf: ({ section }) => section,
    };
  }
  const { type, methods = 0, version = 0 } = envelope;
  const converter = findConverter(type);
  if (typeof converter !== 'function') throw new FileProblem(converter.reason);
  const isAzure = converter === convertAzureItem;
  return {
    converters: { data: converter, nodes: undefined, edges: undefined },
    context: { methods, version },
    ownIds: { data: isAzure ? ownIdOfItem : (record) => ownId(record, 'ObjectIdentifier') },
    ...(isAzure ? {} : { standing: standingOf }),
    // Nothing of Azure depends on what its file says: an item of a file and of a batch is the same.
    salt: isAzure ? salt('azure') : salt(type, methods, version),
    kindOf: isAzure ? ({ value }) => kindOfItem(value) : () => type,
  };
}

async function stage(
  records: readonly ReadRecord[],
  plan: Plan | undefined,
  { lookUp, report, seenAt, domains }: Reading,
): Promise<StagedRecord[]> {
  if (records.length === 0) return [];
  if (plan === undefined) throw new Error('records came before their envelope');
  const owns = records.map(({ section, value }) => plan.ownIds[section]?.(value));
  const known = lookUp === undefined ? undefined : await lookUp([...new Set(owns.filter(isText))]);
  const staged: StagedRecord[] = [];
  records.forEach((record, index) => {
    report.count(plan.kindOf(record));
    const place = placeOf(plan.standing?.(record.value), domains);
    // What depends on who says it is never passed over.
    const own = 'speaks' in place ? owns[index] : undefined;
    const listed = 'speaks' in place && place.speaks !== undefined ? { listed: place.speaks } : {};
    const hash = own === undefined ? undefined : plan.salt + digest(record.text);
    const before = own === undefined ? undefined : known?.get(own);
    if (own !== undefined && hash !== undefined && before !== undefined) {
      if (before.record_hash === hash && seenAt - before.stated_at <= refreshAfterMs) {
        staged.push({ own, hash, unchanged: before.id, ...listed, nodes: [], edges: [], wholes: [] });
        return;
      }
    }
    if (hasUnsafeName(record.text, record.value))
      throw new FileProblem(unsafeMember, { record, offset: record.offset });
    const converter = plan.converters[record.section];
    if (converter === undefined) throw new Error(`nothing reads ${record.section}`);
    const statements = converter(record.value, { ...plan.context, index: record.index });
    report.take(record, statements);
    const { nodes, edges, wholes } = statements;
    if (!('speaks' in place)) {
      const said = { nodes, edges, wholes };
      staged.push('forest' in place ? { forest: place.forest, ...said } : addingOnly(said));
      return;
    }
    // What could be skipped next time must be about exactly this object.
    const isOwn = own !== undefined && nodes.some((node) => node.collected && node.objectId === own);
    const named = isOwn && hash !== undefined ? { own, hash } : {};
    staged.push({ ...named, ...listed, nodes, edges, wholes });
  });
  return staged;
}

type Place =
  /** Its word counts in full; of this domain, if it is known. */
  { readonly speaks: string | undefined } | { readonly forest: string } | { readonly addsOnly: true };

/** Whether its collection speaks for the object of a record (gap 4.5). */
function placeOf(standing: Standing | undefined, domains: ReadonlySet<string> | undefined): Place {
  if (standing?.kind === 'unread') return { addsOnly: true };
  const domain = standing?.domain;
  if (domain === undefined) return { speaks: undefined };
  if (domains !== undefined) return domains.has(domain) ? { speaks: domain } : { addsOnly: true };
  return standing?.kind === 'forest' ? { forest: domain } : { speaks: domain };
}

/** Only the common spelling: a record that spells it otherwise is applied every time. */
function ownId(value: unknown, member: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return plainId((value as Readonly<Record<string, unknown>>)[member]);
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 24);
}
