import { quoteShort } from '../../../values/text.ts';
import { Cursor, type JsonValue, type Step } from './cursor.ts';
import { decode } from './decode.ts';
import { type Envelope, readMeta, readMetadata } from './envelope.ts';
import type { ReadLimits } from './limits.ts';
import { unsafeMember } from './problem.ts';

export type Section = 'data' | 'nodes' | 'edges';

export interface ReadRecord extends JsonValue {
  readonly kind: 'record';
  readonly section: Section;
  readonly index: number;
}

export interface ReadEnd {
  readonly kind: 'end';
  /** Of the text as UTF-8. */
  readonly bytes: number;
  readonly records: Readonly<Record<Section, number>>;
  readonly warnings: readonly string[];
}

export type ReadEvent = { readonly kind: 'envelope'; readonly envelope: Envelope } | ReadRecord | ReadEnd;

const mostWarnings = 20;

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;
const quote = 0x22;

/**
 * Reads one collector file in one pass, in batches of events. The envelope comes as soon as it is known:
 * SharpHound writes `meta` after `data`, so it may be the last but one. `readFile` always has it first.
 */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array>,
  limits: ReadLimits,
): AsyncGenerator<readonly ReadEvent[], void, undefined> {
  yield* read(bytes, new FileReader(limits, true));
}

/** Finds the envelope: at once where the file begins with it, otherwise by passing over the records. */
export async function readEnvelope(bytes: AsyncIterable<Uint8Array>, limits: ReadLimits): Promise<Envelope> {
  for await (const events of read(bytes, new FileReader(limits, false))) {
    for (const event of events) if (event.kind === 'envelope') return event.envelope;
  }
  throw new Error('a file without an envelope was not refused');
}

/** Reads a file that can be opened twice; the first event is the envelope. */
export async function* readFile(
  open: () => AsyncIterable<Uint8Array>,
  limits: ReadLimits,
): AsyncGenerator<readonly ReadEvent[], void, undefined> {
  yield [{ kind: 'envelope', envelope: await readEnvelope(open(), limits) }];
  for await (const events of readRecords(open(), limits)) {
    yield events.filter((event) => event.kind !== 'envelope');
  }
}

async function* read(
  bytes: AsyncIterable<Uint8Array>,
  reader: FileReader,
): AsyncGenerator<readonly ReadEvent[], void, undefined> {
  for await (const piece of decode(bytes)) {
    const events = reader.push(piece);
    if (events.length > 0) yield events;
  }
  yield reader.end();
}

/** The grammar of the two file formats. What is pushed in pieces comes out as the events it completes. */
class FileReader {
  readonly #limits: ReadLimits;
  readonly #wantsRecords: boolean;
  readonly #cursor: Cursor;
  readonly #steps: Step<void>;
  readonly #seen = new Set<string>();
  readonly #counts = { data: 0, nodes: 0, edges: 0 };
  readonly #warnings: string[] = [];
  #events: ReadEvent[] = [];
  #envelope: Envelope | undefined;
  #metadata: unknown;

  constructor(limits: ReadLimits, wantsRecords: boolean) {
    this.#limits = limits;
    this.#wantsRecords = wantsRecords;
    this.#cursor = new Cursor(limits);
    this.#steps = this.#file();
    this.#steps.next();
  }

  push(piece: Buffer): readonly ReadEvent[] {
    this.#cursor.give(piece);
    return this.#goOn();
  }

  end(): readonly ReadEvent[] {
    this.#cursor.isOver = true;
    return this.#goOn();
  }

  #goOn(): readonly ReadEvent[] {
    this.#events = [];
    this.#steps.next();
    return this.#events;
  }

  *#file(): Step<void> {
    yield* this.#members('the file must be one JSON object', (name) => this.#topMember(name));
    yield* this.#cursor.rest();
    this.#finish();
  }

  *#topMember(name: string): Step<void> {
    const known = name.toLowerCase();
    const isClassic = known === 'meta' || known === 'data';
    if (isClassic || known === 'graph' || known === 'metadata') this.#see(known);
    if ((isClassic && this.#seen.has('graph')) || (known === 'graph' && this.#hasClassic())) {
      this.#cursor.fail('a file has either meta and data, or graph, but not both');
    }
    if (known === 'data') yield* this.#section('data');
    else if (known === 'meta') this.#useMeta((yield* this.#cursor.value()).value);
    else if (known === 'metadata') this.#metadata = (yield* this.#cursor.value()).value;
    else if (known === 'graph') yield* this.#graph();
    else yield* this.#unknown(name, name);
  }

  *#graph(): Step<void> {
    if (this.#seen.has('metadata')) this.#useMetadata();
    yield* this.#members('graph must be an object', (name) => this.#graphMember(name));
  }

  *#graphMember(name: string): Step<void> {
    const known = name.toLowerCase();
    if (known !== 'nodes' && known !== 'edges') return yield* this.#unknown(name, `graph.${name}`);
    this.#see(known);
    yield* this.#section(known);
  }

  *#members(reason: string, member: (name: string) => Step<void>): Step<void> {
    const cursor = this.#cursor;
    yield* cursor.expect(openBrace, reason);
    if ((yield* cursor.next()) === closeBrace) return cursor.skip();
    for (let count = 1; ; count += 1) {
      const { members } = this.#limits;
      if (count > members) cursor.fail(`an object has more than ${members} members`, 'members');
      if ((yield* cursor.next()) !== quote) cursor.fail('expected a member name in double quotes');
      const { value: name } = yield* cursor.value();
      yield* cursor.expect(colon, 'expected a colon after the member name');
      yield* cursor.next();
      yield* member(String(name));
      const after = yield* cursor.next();
      if (after !== comma && after !== closeBrace) cursor.fail('expected a comma or }');
      cursor.skip();
      if (after === closeBrace) return;
    }
  }

  *#section(section: Section): Step<void> {
    const cursor = this.#cursor;
    yield* cursor.expect(openBracket, `${section} must be an array`);
    if ((yield* cursor.next()) === closeBracket) return cursor.skip();
    // Most records are whole in their piece, and then the steps, which cost more, are not needed.
    for (let index = 0; ; index += 1) {
      cursor.record = { section, index };
      if (cursor.peek() === undefined) yield* cursor.next();
      this.#countRecord(section);
      const json = cursor.takeValue(this.#wantsRecords) ?? (yield* cursor.restOfValue());
      if (this.#wantsRecords) {
        const { offset, text, value } = json;
        this.#events.push({ kind: 'record', section, index, offset, text, value });
      }
      const after = cursor.peek() ?? (yield* cursor.next());
      if (after !== comma && after !== closeBracket) cursor.fail('expected a comma or ]');
      cursor.skip();
      if (after === closeBracket) break;
    }
    cursor.record = undefined;
  }

  #countRecord(section: Section): void {
    this.#counts[section] += 1;
    const { data, nodes, edges } = this.#counts;
    const { records } = this.#limits;
    if (data + nodes + edges > records) {
      this.#cursor.fail(`the file has more than ${records} records`, 'records');
    }
  }

  /** Read as any value, so that a file is valid as a whole or not at all. */
  *#unknown(name: string, path: string): Step<void> {
    if (name === '__proto__') this.#cursor.fail(unsafeMember);
    yield* this.#cursor.value();
    if (name !== '$schema') this.#warn(`unknown member ${quoteShort(path)} was ignored`);
  }

  #see(name: string): void {
    if (this.#seen.has(name)) this.#cursor.fail(`${name} is there twice`);
    this.#seen.add(name);
  }

  #hasClassic(): boolean {
    return this.#seen.has('meta') || this.#seen.has('data');
  }

  #useMeta(value: unknown): void {
    this.#announce(readMeta(value));
  }

  #useMetadata(): void {
    this.#announce(readMetadata(this.#metadata));
  }

  #announce(reading: ReturnType<typeof readMeta> | ReturnType<typeof readMetadata>): void {
    if (typeof reading === 'string') this.#cursor.fail(reading);
    this.#envelope = reading.envelope;
    for (const warning of reading.warnings) this.#warn(warning);
    this.#events.push({ kind: 'envelope', envelope: reading.envelope });
  }

  #warn(warning: string): void {
    if (this.#warnings.length < mostWarnings) this.#warnings.push(warning);
  }

  #finish(): void {
    const { data, nodes, edges } = this.#counts;
    const seen = this.#seen;
    if (seen.has('graph')) {
      if (!seen.has('nodes') && !seen.has('edges')) this.#cursor.fail('graph has neither nodes nor edges');
      if (this.#envelope === undefined) this.#useMetadata();
    } else if (!this.#hasClassic()) {
      this.#cursor.fail('the file has neither meta and data nor graph');
    } else {
      if (!seen.has('meta')) this.#cursor.fail('the file has data but no meta');
      if (!seen.has('data')) this.#cursor.fail('the file has meta but no data');
      if (seen.has('metadata')) this.#warn('unknown member "metadata" was ignored');
    }
    const envelope = this.#envelope;
    // AzureHound always states 0.
    if (envelope?.format === 'classic' && envelope.type !== 'azure' && (envelope.count ?? data) !== data) {
      this.#warn(`meta.count is ${envelope.count}, but the file has ${data} records`);
    }
    const records = { data, nodes, edges };
    this.#events.push({ kind: 'end', bytes: this.#cursor.offset, records, warnings: this.#warnings });
  }
}
