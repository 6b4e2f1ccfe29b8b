import { newOwnership, scanAces, stateOwnership } from './aces.ts';
import { adKindsOf, Draft, nameType } from './draft.ts';
import { isObject, type Members, model } from './members.ts';
import { copyProperties, type MutableProperties } from './properties.ts';
import { type Converter, Field, Method, type NodeStatement } from './statements.ts';

const commonNames = ['ObjectIdentifier', 'Properties', 'Aces', 'ContainedBy'] as const;
type CommonName = (typeof commonNames)[number];

type OwnNode = Omit<NodeStatement, 'scanned'> & { scanned?: NonNullable<NodeStatement['scanned']> };

/** An Active Directory object that is being read. */
export interface AdObject<Name extends string = never> {
  readonly draft: Draft;
  readonly id: string;
  readonly type: string;
  readonly members: Members<Name | CommonName>;
  /** Its own node's properties; a converter may add to them. */
  readonly properties: MutableProperties;
  readonly node: OwnNode;
}

interface Shape<Name extends string> {
  readonly type: string;
  readonly names?: readonly Name[];
  /** Domains and GPOs have a `ContainedBy` that says nothing. */
  readonly isContained?: boolean;
}

/** A converter that reads what all objects have in common and leaves the rest to `read`. */
export function objectConverter<const Name extends string = never>(
  shape: Shape<Name>,
  read?: (object: AdObject<Name>) => void,
): Converter {
  const { type, names = [], isContained = true } = shape;
  const readMembers = model<Name | CommonName>(...commonNames, ...names);
  return (record, context) => {
    const draft = new Draft(context);
    if (!isObject(record)) {
      draft.problem('', `must be an object, but is ${nameType(record)}`);
      return draft;
    }
    const members = readMembers(record);
    const id = draft.id(members.ObjectIdentifier, 'ObjectIdentifier');
    if (id === undefined) {
      draft.problem('ObjectIdentifier', 'must be the id of the object');
      return draft;
    }
    const properties = copyProperties(draft, members.Properties, 'Properties');
    const node: OwnNode = { objectId: id, kinds: adKindsOf(type), properties, collected: true };
    draft.node(node);
    const object: AdObject<Name> = { draft, id, type, members, properties, node };
    stateAces(object);
    if (isContained) stateContainer(object);
    read?.(object);
    return draft;
  };
}

function stateAces({ draft, id, members, properties }: AdObject): void {
  const aces = draft.list(members.Aces, 'Aces');
  const ownership = newOwnership();
  scanAces(draft, id, aces, { path: 'Aces', field: Field.Aces }, ownership);
  if (ownership.ownerId !== undefined) properties.ownersid = ownership.ownerId;
  stateOwnership(draft, id, ownership, properties);
  if (Array.isArray(members.Aces)) draft.whole(id, Field.Aces, Method.ACL);
}

function stateContainer({ draft, id, members }: AdObject): void {
  const container = draft.principal(members.ContainedBy, 'ContainedBy');
  if (container === undefined) return;
  draft.stub(container.id, container.type);
  draft.edge(container.id, 'Contains', id, Field.ContainedBy);
  draft.whole(id, Field.ContainedBy, Method.Container);
}

/** Edges of one kind from the object to each principal of a list. */
export function stateTargets(
  { draft, id }: AdObject,
  value: unknown,
  edge: { readonly kind: string; readonly path: string; readonly field: Field },
): void {
  for (const target of draft.principals(value, edge.path)) draft.edge(id, edge.kind, target.id, edge.field);
}

/** The edge from the object to the domain with this SID. */
export function stateDomain({ draft, id }: AdObject, sid: unknown, kind: string, field: Field): void {
  const domain = draft.id(sid, 'DomainSID');
  if (domain === undefined) return;
  draft.stub(domain, 'Domain');
  draft.edge(id, kind, domain, field);
}
