import { cleanText, quoteShort } from '../../../values/text.ts';
import { maxIdLength, maxWarnings } from './limits.ts';
import { isObject, model } from './members.ts';
import {
  type Context,
  type EdgeEnd,
  type EdgeStatement,
  type Field,
  fieldEnds,
  type NodeStatement,
  type Properties,
  type Remark,
  type Statements,
  type WholeStatement,
} from './statements.ts';

export const nothing: Properties = Object.freeze({});
export const notAcl: Properties = Object.freeze({ isacl: false });

const adTypes: ReadonlySet<string> = new Set([
  ...['User', 'Computer', 'Group', 'GPO', 'OU', 'Container', 'Domain', 'ADLocalGroup', 'ADLocalUser'],
  ...['AIACA', 'RootCA', 'EnterpriseCA', 'NTAuthStore', 'CertTemplate', 'IssuancePolicy'],
]);
/** One list per kind, so that a million references share it. */
const adKinds: ReadonlyMap<string, readonly string[]> = new Map(
  [...adTypes].map((type) => [type, Object.freeze([type, 'Base'])]),
);
const baseKinds: readonly string[] = Object.freeze(['Base']);

export function adKindsOf(type: string): readonly string[] {
  return adKinds.get(type) ?? baseKinds;
}

/** `ObjectType` or `PrincipalType`: a type that is not known says no more than that the object is there. */
export function adType(value: unknown): string {
  return typeof value === 'string' && adTypes.has(value) ? value : 'Base';
}

export interface Principal {
  readonly id: string;
  readonly type: string;
}

const typedPrincipal = model('ObjectIdentifier', 'ObjectType');

/** Collects what one record states. Nothing in here throws because of what a record contains. */
export class Draft implements Statements {
  readonly nodes: NodeStatement[] = [];
  readonly edges: EdgeStatement[] = [];
  readonly wholes: WholeStatement[] = [];
  readonly problems: Remark[] = [];
  readonly warnings: Remark[] = [];
  moreWarnings = 0;
  skipped?: string;
  /** Then nothing is stated as a whole: files without methods only add (gap 4.5). */
  addsOnly: boolean;
  readonly context: Context;
  readonly #root: string;
  readonly #stubs = new Map<string, string>();

  constructor(context: Context, root = 'data') {
    this.context = context;
    this.addsOnly = context.methods === 0;
    this.#root = root;
  }

  problem(path: string, reason: string): void {
    this.problems.push({ path: this.#pathTo(path), reason });
  }

  warn(path: string, reason: string): void {
    const full = this.#pathTo(path);
    // Some members are read twice.
    if (this.warnings.some((warning) => warning.path === full && warning.reason === reason)) return;
    if (this.warnings.length < maxWarnings) this.warnings.push({ path: full, reason });
    else this.moreWarnings++;
  }

  #pathTo(path: string): string {
    const record = `${this.#root}[${this.context.index}]`;
    return path === '' ? record : `${record}.${path}`;
  }

  node(node: NodeStatement): void {
    this.nodes.push(node);
  }

  /** The node of an Active Directory object that is only referred to; without effect when said twice. */
  stub(id: string, type: string): void {
    if (this.#stubs.get(id) === type) return;
    this.#stubs.set(id, type);
    this.nodes.push({ objectId: id, kinds: adKindsOf(type), properties: nothing, collected: false });
  }

  edge(start: EdgeEnd, kind: string, end: EdgeEnd, by: Field, properties: Properties = notAcl): void {
    this.edges.push({ start, end, kind, properties, by });
  }

  /** `method`: the file must have been collected with it, or else the field says only a part. */
  whole(objectId: string, field: Field, method?: number): void {
    if (this.addsOnly || (method !== undefined && (this.context.methods & method) === 0)) return;
    this.wholes.push({ objectId, end: fieldEnds.get(field) ?? 'end', field });
  }

  /** An object id in upper case; undefined when there is none, with a warning unless it is simply empty. */
  id(value: unknown, path: string): string | undefined {
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') {
      this.warn(path, `must be a text, but is ${nameType(value)}`);
      return undefined;
    }
    if (value.length > maxIdLength) {
      this.warn(path, `is longer than ${maxIdLength} characters: ${quoteShort(value)}`);
      return undefined;
    }
    return this.text(value, path).toUpperCase();
  }

  /** The text with what can't be stored replaced (gap 1.14). */
  text(value: string, path: string): string {
    if (isStorable(value)) return value;
    this.warn(path, 'has characters that cannot be stored; they were replaced');
    return cleanText(value);
  }

  /** The elements of a member that is a list; a missing or null one has none. */
  list(value: unknown, path: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    if (value !== undefined && value !== null) this.warn(path, `must be a list, but is ${nameType(value)}`);
    return [];
  }

  /** A member that is an object; undefined when it is missing, null or something else. */
  object(value: unknown, path: string): object | undefined {
    if (isObject(value)) return value;
    if (value !== undefined && value !== null)
      this.warn(path, `must be an object, but is ${nameType(value)}`);
    return undefined;
  }

  flag(value: unknown, path: string): boolean {
    if (typeof value === 'boolean') return value;
    if (value !== undefined && value !== null)
      this.warn(path, `must be true or false, but is ${nameType(value)}`);
    return false;
  }

  /** With an index it is an element of the list at `path`. */
  principal(value: unknown, path: string, index?: number): Principal | undefined {
    if (!isObject(value)) {
      this.object(value, elementPath(path, index));
      return undefined;
    }
    const members = typedPrincipal(value);
    const id =
      plainId(members.ObjectIdentifier) ??
      this.id(members.ObjectIdentifier, `${elementPath(path, index)}.ObjectIdentifier`);
    return id === undefined ? undefined : { id, type: adType(members.ObjectType) };
  }

  /** The principals of a list, each made known as a node; those without an id are left out. */
  principals(value: unknown, path: string): Principal[] {
    const found: Principal[] = [];
    this.list(value, path).forEach((element, index) => {
      const principal = this.principal(element, path, index);
      if (principal === undefined) return;
      this.stub(principal.id, principal.type);
      found.push(principal);
    });
    return found;
  }
}

/** An id with nothing to remark on. Paths are spelled out only where there is, because most elements are fine. */
export function plainId(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > maxIdLength || !isStorable(value))
    return undefined;
  return value.toUpperCase();
}

export function elementPath(path: string, index: number | undefined): string {
  return index === undefined ? path : `${path}[${index}]`;
}

export function nameType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `the text ${quoteShort(value, 40)}`;
  return typeof value === 'object' ? 'an object' : `${value}`;
}

/** Newer than the language library that the types are checked against; every supported Node.js has it. */
type WellFormed = string & { isWellFormed(): boolean };

function isStorable(text: string): boolean {
  return (text as WellFormed).isWellFormed() && !text.includes('\0');
}
