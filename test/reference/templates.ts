import {
  type Graph,
  intersection,
  isA,
  isFalse,
  isPresent,
  isTrue,
  list,
  type Node,
  number,
} from './graph.ts';
import { expand, isEverybody, isGroup } from './groups.ts';

const clientAuthentication = '1.3.6.1.5.5.7.3.2';
const anyPurpose = '2.5.29.37.0';

/** E(t) */
export function enrollersOf(graph: Graph, template: Node): Set<Node> {
  return graph.starts(template, 'Enroll', 'GenericAll', 'AllExtendedRights');
}

/** EC */
export function enrollersAt(graph: Graph, ca: Node): Set<Node> {
  return graph.starts(ca, 'Enroll');
}

export function needsNoApproval(template: Node): boolean {
  return isFalse(template, 'requiresmanagerapproval');
}

export function needsNoSignature(template: Node): boolean {
  const version = number(template, 'schemaversion');
  const signatures = number(template, 'authorizedsignatures');
  if (version === undefined || signatures === undefined) return false;
  return !(version > 1 && signatures > 0);
}

export function authenticates(template: Node): boolean {
  return isTrue(template, 'authenticationenabled');
}

export function authenticatesToSchannel(template: Node): boolean {
  if (isPresent(template, 'schannelauthenticationenabled'))
    return isTrue(template, 'schannelauthenticationenabled');
  const usages = list(template, 'effectiveekus');
  return (
    usages !== undefined &&
    (usages.length === 0 || usages.includes(clientAuthentication) || usages.includes(anyPurpose))
  );
}

export function namesUserOrService(template: Node): boolean {
  const names = ['subjectaltrequireupn', 'subjectaltrequirespn'];
  return names.every((name) => isPresent(template, name)) && names.some((name) => isTrue(template, name));
}

/** dns(S, t): users have no DNS name that a certificate could carry, unless they are managed accounts. */
export function withDnsName(nodes: Iterable<Node>, template: Node): Set<Node> {
  const needed = ['subjectaltrequiredns', 'subjectaltrequiredomaindns'].some(
    (name) => isTrue(template, name) || !isPresent(template, name),
  );
  return new Set(
    [...nodes].filter((node) => !needed || !isA(node, 'User') || isTrue(node, 'gmsa') || isTrue(node, 'msa')),
  );
}

/** Who can get a certificate of the template from the authority: no groups. */
export function victimsOf(graph: Graph, template: Node, ca: Node): Set<Node> {
  const [onTemplate, onAuthority] = [enrollersOf(graph, template), enrollersAt(graph, ca)];
  const people = (nodes: Iterable<Node>) =>
    new Set([...expand(graph, nodes)].filter((node) => !isGroup(node)));
  const everybodyOnTemplate = [...expand(graph, onTemplate)].some(isEverybody);
  const everybodyOnAuthority = [...expand(graph, onAuthority)].some(isEverybody);
  if (everybodyOnTemplate && everybodyOnAuthority) return people([...onTemplate, ...onAuthority]);
  if (everybodyOnTemplate) return people(onAuthority);
  if (everybodyOnAuthority) return people(onTemplate);
  return intersection(people(onTemplate), people(onAuthority));
}
