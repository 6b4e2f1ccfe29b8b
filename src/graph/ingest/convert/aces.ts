import { quoteShort } from '../../../values/text.ts';
import { adType, type Draft, elementPath, type Principal, plainId } from './draft.ts';
import { isObject, model } from './members.ts';
import type { Field, Properties } from './statements.ts';

/** The rights that an ACE may grant; each is the kind of an edge. */
const rights: ReadonlySet<unknown> = new Set([
  ...['AllExtendedRights', 'ForceChangePassword', 'AddMember', 'AddAllowedToAct', 'GenericAll', 'WriteDacl'],
  ...['WriteOwner', 'GenericWrite', 'ReadLAPSPassword', 'ReadGMSAPassword', 'Owns', 'AddSelf', 'WriteSPN'],
  ...['AddKeyCredentialLink', 'GetChanges', 'GetChangesAll', 'GetChangesInFilteredSet', 'WriteGPLink'],
  ...['WriteAccountRestrictions', 'SyncLAPSPassword', 'DCSync', 'ManageCertificates', 'ManageCA', 'Enroll'],
  ...['WritePKIEnrollmentFlag', 'WritePKINameFlag', 'WriteOwnerLimitedRights', 'OwnsLimitedRights'],
  ...['WriteAltSecurityIdentities', 'WritePublicInformation'],
]);

const aceModel = model('PrincipalSID', 'PrincipalType', 'RightName', 'IsInherited', 'InheritanceHash');

/** The well-known principal that stands for whoever owns the object. */
const ownerRightsSid = 'S-1-3-4';

interface Grant extends Principal {
  readonly properties: Properties;
  readonly by: Field;
}

/** What the ACEs say about ownership. It can be told only when all of them have been seen. */
export interface Ownership {
  /** The first one that is named, the object itself included: the property `ownersid`. */
  ownerId?: string;
  owner?: Grant;
  readonly writers: Grant[];
  /** Rights that are granted to OWNER RIGHTS, which then limit what an owner can do. */
  readonly limited: Set<string>;
  readonly inheritedLimited: Set<string>;
  limitedBy?: Field;
}

export function newOwnership(): Ownership {
  return { writers: [], limited: new Set(), inheritedLimited: new Set() };
}

/** The list that ACEs come from, and which of them count. */
interface AceSource {
  readonly path: string;
  readonly field: Field;
  readonly accepts?: (principal: Principal, right: string) => boolean;
}

/** An edge for every right, except those about ownership, which are added to `ownership`. */
export function scanAces(
  draft: Draft,
  target: string,
  aces: readonly unknown[],
  source: AceSource,
  ownership: Ownership,
): void {
  for (let index = 0; index < aces.length; index++) {
    const grant = readAce(draft, aces[index], source, index);
    if (grant === undefined) continue;
    const { right } = grant;
    if (right === 'Owns') ownership.ownerId ??= grant.id;
    if (grant.id === target) continue;
    if (source.accepts?.(grant, right) === false) continue;
    if (right === 'Owns') ownership.owner = grant;
    else if (right === 'WriteOwner') ownership.writers.push(grant);
    else if (grant.id.endsWith(ownerRightsSid)) {
      ownership.limited.add(right);
      if (grant.properties.isinherited === true) ownership.inheritedLimited.add(right);
      ownership.limitedBy ??= source.field;
    } else {
      draft.stub(grant.id, grant.type);
      draft.edge(grant.id, right, target, source.field, grant.properties);
    }
  }
}

function readAce(
  draft: Draft,
  value: unknown,
  source: AceSource,
  index: number,
): (Grant & { readonly right: string }) | undefined {
  if (!isObject(value)) {
    draft.object(value, elementPath(source.path, index));
    return undefined;
  }
  const ace = aceModel(value);
  const sid = ace.PrincipalSID;
  const id = plainId(sid) ?? draft.id(sid, `${elementPath(source.path, index)}.PrincipalSID`);
  if (id === undefined) return undefined;
  const right = ace.RightName;
  if (typeof right !== 'string' || !rights.has(right)) {
    const name = typeof right === 'string' ? quoteShort(right, 40) : 'none';
    const path = `${elementPath(source.path, index)}.RightName`;
    draft.warn(path, `is not a right that an ACE can grant: ${name}`);
    return undefined;
  }
  const hash = typeof ace.InheritanceHash === 'string' ? ace.InheritanceHash : '';
  const properties = grantProperties(ace.IsInherited === true, hash);
  return { id, type: adType(ace.PrincipalType), right, properties, by: source.field };
}

const direct: Properties = Object.freeze({ isacl: true, isinherited: false, inheritancehash: '' });
const inherited: Properties = Object.freeze({ isacl: true, isinherited: true, inheritancehash: '' });

function grantProperties(isInherited: boolean, hash: string): Properties {
  if (hash !== '') return { isacl: true, isinherited: isInherited, inheritancehash: hash };
  return isInherited ? inherited : direct;
}

/** Ownership itself is never inherited. */
const ownerProperties: Properties = Object.freeze({ isacl: true, isinherited: false });

/**
 * The edges about ownership. `Owns` and `WriteOwner` are left to the analysis, which makes them of the raw kinds:
 * whether an owner has implicit rights depends on the whole domain.
 */
export function stateOwnership(
  draft: Draft,
  target: string,
  ownership: Ownership,
  properties: Readonly<Record<string, unknown>>,
): void {
  const isLimited = ownership.limited.size > 0;
  const anyGrant = isLimited || properties.doesanyacegrantownerrights === true;
  const inheritedGrant = properties.doesanyinheritedacegrantownerrights === true;

  if (ownership.owner !== undefined && (isLimited || !anyGrant)) {
    const { owner } = ownership;
    draft.stub(owner.id, owner.type);
    if (isLimited) {
      const properties = { ...ownerProperties, privileges: [...ownership.limited] };
      draft.edge(owner.id, 'OwnsLimitedRights', target, ownership.limitedBy ?? owner.by, properties);
    } else draft.edge(owner.id, 'OwnsRaw', target, owner.by, ownerProperties);
  }

  // A grant to OWNER RIGHTS that is inherited outlives a change of owner: then a new owner gets no more than it.
  const staysLimited = ownership.inheritedLimited.size > 0;
  if (!staysLimited && anyGrant && inheritedGrant) return;
  for (const writer of ownership.writers) {
    draft.stub(writer.id, writer.type);
    if (staysLimited) {
      const properties = { ...writer.properties, privileges: [...ownership.inheritedLimited] };
      draft.edge(writer.id, 'WriteOwnerLimitedRights', target, ownership.limitedBy ?? writer.by, properties);
    } else draft.edge(writer.id, 'WriteOwnerRaw', target, writer.by, writer.properties);
  }
}
