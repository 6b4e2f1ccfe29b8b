import type { OpenGraphFile } from '../../scripts/compare-graphs.ts';
import type { CollectedObject, CollectorFile } from './collector-files.ts';

/**
 * The graph that collector files describe, read in the plainest way: no streaming, no store, nothing of the program
 * itself. It knows what `collector-files.ts` writes, and no more.
 */
export function plainReading(files: readonly CollectorFile[]): OpenGraphFile {
  const graph = new PlainGraph();
  for (const { meta, data } of files) {
    for (const object of data) readObject(graph, meta.type, object);
  }
  return graph.file();
}

type Values = Record<string, unknown>;

class PlainGraph {
  readonly #nodes = new Map<string, { kinds: Set<string>; properties: Values }>();
  readonly #edges = new Map<string, { start: string; kind: string; end: string; properties: Values }>();

  node(id: string, kind: string, properties: Values = {}): void {
    const key = id.toUpperCase();
    const node = this.#nodes.get(key) ?? { kinds: new Set(['Base']), properties: {} };
    node.kinds.add(kind);
    Object.assign(node.properties, properties);
    this.#nodes.set(key, node);
  }

  edge(start: [string, string], kind: string, end: [string, string], properties: Values): void {
    this.node(...start);
    this.node(...end);
    const ends = { start: start[0].toUpperCase(), kind, end: end[0].toUpperCase() };
    const key = JSON.stringify(ends);
    this.#edges.set(key, { ...ends, properties: { ...this.#edges.get(key)?.properties, ...properties } });
  }

  file(): OpenGraphFile {
    return {
      graph: {
        nodes: [...this.#nodes].map(([id, { kinds, properties }]) => ({ id, kinds: [...kinds], properties })),
        edges: [...this.#edges.values()].map(({ start, kind, end, properties }) => ({
          kind,
          start: { value: start },
          end: { value: end },
          properties,
        })),
      },
    };
  }
}

const kindOf: Readonly<Record<string, string>> = {
  users: 'User',
  groups: 'Group',
  computers: 'Computer',
  ous: 'OU',
  containers: 'Container',
  gpos: 'GPO',
  domains: 'Domain',
  certtemplates: 'CertTemplate',
  enterprisecas: 'EnterpriseCA',
  rootcas: 'RootCA',
  ntauthstores: 'NTAuthStore',
};
const plain = { isacl: false };
const upper = new Set(['name', 'distinguishedname', 'operatingsystem', 'domainsid']);

function readObject(graph: PlainGraph, type: string, object: CollectedObject): void {
  const kind = kindOf[type] ?? type;
  const me: [string, string] = [object.ObjectIdentifier, kind];
  const properties: Values = {};
  for (const [key, value] of Object.entries(object.Properties as Values)) {
    if (value !== null) properties[key] = upper.has(key) ? String(value).toUpperCase() : value;
  }
  graph.node(...me, properties);
  readAces(graph, me, object.Aces);

  const each = (list: CollectedObject[] | undefined, use: (other: [string, string]) => void) => {
    for (const { ObjectIdentifier, ObjectType } of list ?? []) use([ObjectIdentifier, ObjectType]);
  };
  if (object.ContainedBy !== undefined)
    each([object.ContainedBy], (other) => graph.edge(other, 'Contains', me, plain));
  each(object.ChildObjects, (other) => graph.edge(me, 'Contains', other, plain));
  each(object.Members, (other) => graph.edge(other, 'MemberOf', me, { ...plain, isprimarygroup: false }));
  each(object.AllowedToDelegate, (other) => graph.edge(me, 'AllowedToDelegate', other, plain));
  each(object.HasSIDHistory, (other) => graph.edge(me, 'HasSIDHistory', other, plain));
  each(object.AllowedToAct, (other) => graph.edge(other, 'AllowedToAct', me, plain));
  each(object.EnabledCertTemplates, (other) => graph.edge(other, 'PublishedTo', me, plain));
  if (object.PrimaryGroupSID !== undefined)
    graph.edge(me, 'MemberOf', [object.PrimaryGroupSID, 'Group'], { ...plain, isprimarygroup: true });
  for (const { ComputerSID, Port, Service } of object.SPNTargets ?? [])
    graph.edge(me, Service, [ComputerSID, 'Computer'], { isacl: true, port: Port });
  for (const { GUID, IsEnforced } of object.Links ?? [])
    graph.edge([GUID, 'GPO'], 'GPLink', me, { ...plain, enforced: IsEnforced });
  if (type === 'users' && object.Properties.unconstraineddelegation === true)
    graph.edge(me, 'CoerceToTGT', [object.Properties.domainsid, 'Domain'], plain);
  if (type === 'computers') readComputer(graph, me, object);
  if (type === 'rootcas') graph.edge(me, 'RootCAFor', [object.DomainSID, 'Domain'], plain);
  if (type === 'ntauthstores') graph.edge(me, 'NTAuthStoreFor', [object.DomainSID, 'Domain'], plain);
  if (object.HostingComputer !== undefined)
    graph.edge([object.HostingComputer, 'Computer'], 'HostsCAService', me, plain);
  for (const trust of object.Trusts ?? []) readTrust(graph, me, trust);
}

/** Rights that are none are left out; an owner is remembered by the object and has an edge of another name. */
function readAces(graph: PlainGraph, me: [string, string], aces: readonly CollectedObject[]): void {
  const renamed: Readonly<Record<string, string>> = { Owns: 'OwnsRaw', WriteOwner: 'WriteOwnerRaw' };
  for (const { PrincipalSID, PrincipalType, RightName, IsInherited, InheritanceHash } of aces) {
    if (RightName === 'AdminTo' || PrincipalSID === me[0]) continue;
    if (RightName === 'Owns') graph.node(...me, { ownersid: PrincipalSID });
    graph.edge([PrincipalSID, PrincipalType], renamed[RightName] ?? RightName, me, {
      isacl: true,
      isinherited: IsInherited,
      ...(RightName === 'Owns' ? {} : { inheritancehash: InheritanceHash }),
    });
  }
}

function readComputer(graph: PlainGraph, me: [string, string], object: CollectedObject): void {
  // Said of every computer; no file here has the registry's data.
  graph.node(...me, { vulnerablenetlogonsecuritydescriptorcollected: false });
  if (object.IsDC === true) graph.edge(me, 'DCFor', [object.DomainSID, 'Domain'], plain);
  if (object.Sessions.Collected === true) {
    for (const { UserSID } of object.Sessions.Results) graph.edge(me, 'HasSession', [UserSID, 'User'], plain);
  }
  for (const { ObjectIdentifier, Name, Collected, Results } of object.LocalGroups) {
    if (!Collected) continue;
    const group: [string, string] = [ObjectIdentifier, 'ADLocalGroup'];
    graph.node(...group, { name: Name.toUpperCase() });
    graph.edge(group, 'LocalToComputer', me, plain);
    for (const member of Results)
      graph.edge([member.ObjectIdentifier, member.ObjectType], 'MemberOfLocalGroup', group, plain);
  }
}

/** Both ways, between forests, with TGT delegation off. */
function readTrust(graph: PlainGraph, me: [string, string], trust: CollectedObject): void {
  const target: [string, string] = [trust.TargetDomainSid, 'Domain'];
  graph.node(...target, { name: trust.TargetDomainName, domainsid: trust.TargetDomainSid });
  const common = { ...plain, trusttype: trust.TrustType, transitive: trust.IsTransitive };
  graph.edge(target, 'CrossForestTrust', me, {
    ...common,
    trustattributesinbound: trust.TrustAttributes,
    tgtdelegation: trust.TGTDelegationEnabled,
  });
  graph.edge(me, 'CrossForestTrust', target, {
    ...common,
    spoofsidhistoryblocked: trust.SidFilteringEnabled,
    trustattributesoutbound: trust.TrustAttributes,
  });
  if (!trust.SidFilteringEnabled)
    graph.edge(target, 'SpoofSIDHistory', me, { ...plain, trusttype: trust.TrustType });
}
