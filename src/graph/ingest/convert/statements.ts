/**
 * What one record of a collector says about the graph, in a form that a store can write without knowing the record.
 * Ids are in upper case; properties are ready to be stored.
 */

export type Scalar = string | number | boolean;
export type PropertyValue = Scalar | readonly Scalar[];
/** Merged into what is stored; null removes. */
export type Properties = Readonly<Record<string, PropertyValue | null>>;

export interface NodeStatement {
  readonly objectId: string;
  /** United with the kinds that the node has. Empty when a reference says nothing about the kind. */
  readonly kinds: readonly string[];
  readonly properties: Properties;
  /** True for an element of `data`, which sets `lastcollected`; false for what is only referred to. */
  readonly collected: boolean;
  /** On computers: what the collector could read there (gap 6.2). No property, so that it is never exported. */
  readonly scanned?: { readonly sessions: boolean; readonly localGroups: boolean };
}

/** A node that is not named by its id. It has to exist exactly once, otherwise the edge is left out. */
export interface NodeMatch {
  /** All of them have to be equal. */
  readonly properties: readonly { readonly key: string; readonly value: Scalar }[];
  readonly kind?: string;
}

/** An object id, or a node that the store has to look up. */
export type EdgeEnd = string | NodeMatch;

export interface EdgeStatement {
  readonly start: EdgeEnd;
  readonly end: EdgeEnd;
  readonly kind: string;
  readonly properties: Properties;
  readonly by: Field;
  /** The object whose record says so, for the one field that belongs to neither end. */
  readonly through?: string;
}

/**
 * The record states this field of this object as a whole: earlier edges that the field stated at that end of
 * them (or through that object), and that no record of the file names now, are withdrawn (gap 4.5).
 */
export interface WholeStatement {
  readonly objectId: string;
  readonly end: 'start' | 'end' | 'through';
  readonly field: Field;
}

/** The fields that can state an edge, as bits. They are stored: a number is never given to another field. */
export const Field = {
  Members: 1 << 0,
  Aces: 1 << 1,
  CASecurity: 1 << 2,
  ContainedBy: 1 << 3,
  ChildObjects: 1 << 4,
  Links: 1 << 5,
  PrimaryGroup: 1 << 6,
  /** Sessions, PrivilegedSessions, RegistrySessions and files of sessions. */
  Sessions: 1 << 7,
  EnabledCertTemplates: 1 << 8,
  HostingComputer: 1 << 9,
  EnrollmentAgentRestrictions: 1 << 10,
  /** The computer's groups. */
  LocalGroups: 1 << 11,
  /** The members of one local group; belongs to the group, although the computer's record says it. */
  LocalGroupMembers: 1 << 12,
  UserRights: 1 << 13,
  TrustsInbound: 1 << 14,
  TrustsOutbound: 1 << 15,
  GPOChanges: 1 << 16,
  SPNTargets: 1 << 17,
  AllowedToDelegate: 1 << 18,
  AllowedToAct: 1 << 19,
  HasSIDHistory: 1 << 20,
  DumpSMSAPassword: 1 << 21,
  /** OIDGroupLink. */
  GroupLink: 1 << 22,
  /** RootCAFor and NTAuthStoreFor. */
  DomainSID: 1 << 23,
  /** DCFor and CoerceToTGT. */
  Delegation: 1 << 24,
  OpenGraph: 1 << 25,
  Azure: 1 << 26,
  /** Any field of a record whose collection does not speak for the object. */
  Elsewhere: 1 << 27,
} as const;
export type Field = (typeof Field)[keyof typeof Field];

/** The fields that a record can state as a whole, and the end of their edges that they belong to. */
export const fieldEnds: ReadonlyMap<Field, WholeStatement['end']> = new Map<Field, WholeStatement['end']>([
  [Field.Members, 'end'],
  [Field.Aces, 'end'],
  [Field.CASecurity, 'end'],
  [Field.ContainedBy, 'end'],
  [Field.ChildObjects, 'start'],
  [Field.Links, 'end'],
  [Field.EnabledCertTemplates, 'end'],
  [Field.HostingComputer, 'end'],
  [Field.EnrollmentAgentRestrictions, 'through'],
  [Field.LocalGroups, 'end'],
  [Field.LocalGroupMembers, 'end'],
  [Field.UserRights, 'end'],
]);

export interface Remark {
  /** Such as `data[12].Aces[3].RightName`. */
  readonly path: string;
  readonly reason: string;
}

export interface Statements {
  readonly nodes: readonly NodeStatement[];
  readonly edges: readonly EdgeStatement[];
  readonly wholes: readonly WholeStatement[];
  /** Why the record as a whole can't be used; then it states nothing. */
  readonly problems: readonly Remark[];
  /** What was left out of a record that is used otherwise. */
  readonly warnings: readonly Remark[];
  /** Warnings beyond those listed. */
  readonly moreWarnings: number;
  /** Set when the record is of a kind that is not read; the caller counts by it. */
  readonly skipped?: string;
}

/** What the file says about all its records, and where this one stands. */
export interface Context {
  /** `meta.methods`, or 0. */
  readonly methods: number;
  /** `meta.version`, or 0. */
  readonly version: number;
  /** Position in its array, from 0. */
  readonly index: number;
  /** OpenGraph: `metadata.source_kind`. */
  readonly sourceKind?: string;
}

export type Converter = (record: unknown, context: Context) => Statements;

/** Bits of `meta.methods` that something depends on. */
export const Method = { Group: 1, ACL: 64, Container: 128 } as const;
