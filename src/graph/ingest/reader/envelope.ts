import { quoteShort } from '../../../values/text.ts';

/** SharpHound's form, `{ "meta": …, "data": […] }`; AzureHound sends it too, with the type `azure`. */
export interface ClassicEnvelope {
  readonly format: 'classic';
  readonly type: string;
  readonly version: number | undefined;
  /** Bit set of what the collector was asked to collect. */
  readonly methods: number | undefined;
  /** Of records, as stated: it is often wrong. */
  readonly count: number | undefined;
  readonly collectorVersion: string | undefined;
}

/** `{ "graph": { "nodes": […], "edges": […] }, "metadata": … }` */
export interface OpenGraphEnvelope {
  readonly format: 'opengraph';
  readonly sourceKind: string | undefined;
}

export type Envelope = ClassicEnvelope | OpenGraphEnvelope;

interface Reading<E> {
  readonly envelope: E;
  readonly warnings: readonly string[];
}

/** Gives the reason, as text, when the value of `meta` can't be used. */
export function readMeta(value: unknown): Reading<ClassicEnvelope> | string {
  const members = membersOf(value);
  if (members === undefined) return 'meta must be an object';
  const type = members.get('type');
  if (typeof type !== 'string' || type === '') return 'meta must have a type, such as "users"';
  const warnings: string[] = [];
  const whole = (name: string): number | undefined => {
    const number = members.get(name) ?? undefined;
    if (number === undefined || Number.isSafeInteger(number)) return number as number | undefined;
    warnings.push(`meta.${name} is not a whole number and was ignored`);
    return undefined;
  };
  const collectorVersion = members.get('collectorversion');
  return {
    envelope: {
      format: 'classic',
      type,
      version: whole('version'),
      methods: whole('methods'),
      count: whole('count'),
      collectorVersion: typeof collectorVersion === 'string' ? collectorVersion : undefined,
    },
    warnings,
  };
}

/** Gives the reason, as text, when the value of `metadata` can't be used. */
export function readMetadata(value: unknown): Reading<OpenGraphEnvelope> | string {
  const members = membersOf(value ?? {});
  if (members === undefined) return 'metadata must be an object';
  const sourceKind = members.get('source_kind') ?? undefined;
  if (sourceKind !== undefined && typeof sourceKind !== 'string')
    return 'metadata.source_kind must be a text';
  const unknown = [...members.keys()].filter((name) => name !== 'source_kind').slice(0, 10);
  return {
    envelope: { format: 'opengraph', sourceKind },
    warnings: unknown.map((name) => `metadata has an unknown member ${quoteShort(name)}, which was ignored`),
  };
}

function membersOf(value: unknown): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
}
