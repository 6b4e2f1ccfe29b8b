import { collectedDomains } from './domains.ts';
import { Graph, isA, type Node, text } from './graph.ts';

const groupIds = /-(526|527|S-1-5-9|512|516|518|519|544|551)$/;
/** A local group: the id of its computer with one more number. */
const idsOfComputersGroups = /^S-1-5-21-\d+-\d+-\d+-\d+-\d+$/;

const names = new Map([
  ['S-1-1-0', 'EVERYONE'],
  ['S-1-5-11', 'AUTHENTICATED USERS'],
  ['S-1-5-2', 'NETWORK'],
  ['S-1-5-15', 'THIS ORGANIZATION'],
  ['S-1-5-65-1', 'THIS ORGANIZATION CERTIFICATE'],
  ['S-1-18-1', 'AUTHENTICATION AUTHORITY ASSERTED IDENTITY'],
  ['S-1-18-4', 'KEY TRUST'],
  ['S-1-18-5', 'MFA KEY PROPERTY'],
  ['S-1-5-64-10', 'NTLM AUTHENTICATION'],
  ['S-1-5-64-14', 'SCHANNEL AUTHENTICATION'],
]);

/** The nodes as they must be before anything is worked out: their kinds, their names, and groups that must exist. */
export function amended(nodes: readonly Node[]): Node[] {
  const graph = new Graph(nodes, []);
  const groups = wellKnownGroups(graph);
  const missing = groups.filter(({ objectId }) => graph.find(objectId) === undefined);
  const known = nodes.map((node) => asGroup(groups, node));
  return [...known.map((node) => withName(graph, withScopeName(graph, withKind(node)))), ...missing];
}

/** A group that every domain has and that was only mentioned is the same as one that is missing. */
function asGroup(groups: readonly Node[], node: Node): Node {
  const group = groups.find(({ objectId }) => objectId === node.objectId);
  if (group === undefined || text(node, 'name') !== undefined) return node;
  return {
    ...node,
    kinds: [...new Set([...node.kinds, ...group.kinds])],
    properties: { ...group.properties, ...node.properties, name: group.properties.name },
  };
}

function wellKnownGroups(graph: Graph): Node[] {
  return collectedDomains(graph).flatMap((domain) => {
    const fullName = text(domain, 'name');
    if (fullName === undefined) return [];
    const group = (objectId: string, name: string): Node => ({
      objectId,
      kinds: ['Group', 'Base'],
      properties: { name: `${name}@${fullName}`, domain: fullName, domainsid: domain.objectId },
    });
    return [
      group(`${domain.objectId}-513`, 'DOMAIN USERS'),
      group(`${domain.objectId}-515`, 'DOMAIN COMPUTERS'),
      ...[...names].map(([sid, name]) => group(`${fullName}-${sid}`, name)),
    ];
  });
}

function withKind(node: Node): Node {
  const isKnown = groupIds.test(node.objectId) && !idsOfComputersGroups.test(node.objectId);
  return isKnown ? { ...node, kinds: [...new Set([...node.kinds, 'Group'])] } : node;
}

/** A management group is called after itself and its tenant. */
function withScopeName(graph: Graph, node: Node): Node {
  const tenant = graph.find(text(node, 'tenantid')?.toUpperCase());
  const names = [text(node, 'displayname'), tenant && text(tenant, 'name')];
  if (text(node, 'name') !== undefined) return node;
  if (!isA(node, 'AZManagementGroup') || !tenant || !isA(tenant, 'AZTenant') || names.includes(undefined))
    return node;
  return { ...node, properties: { ...node.properties, name: names.join('@').toUpperCase() } };
}

/** What has no name is called after the domain that its id begins with. */
function withName(graph: Graph, node: Node): Node {
  const domain = graph.find(node.objectId.replace(/-\d+$/, ''));
  const domainName = domain?.kinds.includes('Domain') ? text(domain, 'name') : undefined;
  if (domain === undefined || domainName === undefined || text(node, 'name') !== undefined) return node;
  const name = `(${domainName}) ${node.objectId}`;
  return { ...node, properties: { domainsid: domain.objectId, ...node.properties, name } };
}
