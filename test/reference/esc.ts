import { allPairs } from './certificates.ts';
import { crossProduct } from './cross-product.ts';
import { type Graph, isA, isPresent, isTrue, type Node, number, reach, union } from './graph.ts';
import { mapsByName, published } from './published.ts';
import {
  authenticates,
  authenticatesToSchannel,
  enrollersAt,
  enrollersOf,
  needsNoApproval,
  needsNoSignature,
  withDnsName,
} from './templates.ts';

export const adcsEsc1 = published(({ graph, template, ca, domains }) => {
  const weak =
    needsNoApproval(template) &&
    authenticates(template) &&
    isTrue(template, 'enrolleesuppliessubject') &&
    needsNoSignature(template);
  return weak
    ? allPairs(crossProduct(graph, enrollersOf(graph, template), enrollersAt(graph, ca)), domains)
    : [];
});

export const adcsEsc3 = published(({ graph, template: second, ca, domains }) => {
  if (!isPresent(ca, 'enrollmentagentrestrictionscollected')) return [];
  if (!authenticates(second) || !needsNoApproval(second)) return [];
  const restricted =
    isTrue(ca, 'enrollmentagentrestrictionscollected') && isTrue(ca, 'hasenrollmentagentrestrictions');
  const agents = restricted ? [graph.starts(second, 'DelegatedEnrollmentAgent')] : [];
  const firsts = [...graph.starts(second, 'EnrollOnBehalfOf')].filter(
    (first) => needsNoApproval(first) && isFirstSignature(first),
  );
  return firsts.flatMap((first) =>
    [...graph.ends(first, 'PublishedTo')].flatMap((firstCa) => {
      const sources = crossProduct(
        graph,
        enrollersOf(graph, first),
        enrollersOf(graph, second),
        enrollersAt(graph, firstCa),
        enrollersAt(graph, ca),
        ...agents,
      );
      return allPairs(withDnsName(sources, first), domains);
    }),
  );
});

function isFirstSignature(template: Node): boolean {
  const version = number(template, 'schemaversion');
  const signatures = number(template, 'authorizedsignatures');
  if (version === undefined || signatures === undefined) return false;
  return version === 1 || signatures === 0;
}

export const adcsEsc4 = published(({ graph, template, ca, domains }) => {
  if (!isPresent(template, 'enrolleesuppliessubject')) return [];
  if (!isPresent(template, 'requiresmanagerapproval')) return [];
  const atCa = enrollersAt(graph, ca);
  const who = (...kinds: string[]) => graph.starts(template, ...kinds);
  const enroll = who('Enroll', 'AllExtendedRights');
  const sources = [
    crossProduct(graph, atCa, who('Owns', 'GenericAll', 'WriteDacl', 'WriteOwner')),
    crossProduct(graph, atCa, who('GenericWrite'), enroll),
  ];
  if (authenticates(template) && needsNoSignature(template)) {
    const [nameFlag, enrollmentFlag] = [who('WritePKINameFlag'), who('WritePKIEnrollmentFlag')];
    sources.push(crossProduct(graph, atCa, enroll, nameFlag, enrollmentFlag));
    if (isTrue(template, 'enrolleesuppliessubject'))
      sources.push(crossProduct(graph, atCa, enroll, enrollmentFlag));
    if (needsNoApproval(template)) sources.push(crossProduct(graph, atCa, enroll, nameFlag));
  }
  return allPairs(union(...sources), domains);
});

export const adcsEsc6a = published(({ graph, template, ca, domains }) => {
  const weak =
    usersMayNameThemselves(ca) &&
    needsNoApproval(template) &&
    needsNoSignature(template) &&
    isTrue(template, 'nosecurityextension') &&
    authenticates(template);
  return weak ? allPairs(namedEnrollers(graph, template, ca), domains) : [];
});

export const adcsEsc6b = published(({ graph, template, ca, domains }) => {
  const weak =
    usersMayNameThemselves(ca) &&
    needsNoApproval(template) &&
    needsNoSignature(template) &&
    authenticatesToSchannel(template);
  return weak ? allPairs(namedEnrollers(graph, template, ca), domains.filter(mapsByName(graph))) : [];
});

function usersMayNameThemselves(ca: Node): boolean {
  return isTrue(ca, 'isuserspecifiessanenabledcollected') && isTrue(ca, 'isuserspecifiessanenabled');
}

function namedEnrollers(graph: Graph, template: Node, ca: Node): Set<Node> {
  return withDnsName(crossProduct(graph, enrollersOf(graph, template), enrollersAt(graph, ca)), template);
}

export const adcsEsc13 = published(({ graph, template, ca, domains }) => {
  const weak = needsNoApproval(template) && authenticates(template) && needsNoSignature(template);
  if (!weak) return [];
  const sources = withDnsName(
    crossProduct(graph, enrollersAt(graph, ca), enrollersOf(graph, template)),
    template,
  );
  const groups = [...graph.ends(template, 'ExtendedByPolicy')]
    .flatMap((policy) => [...graph.ends(policy, 'OIDGroupLink')])
    .filter((group) => {
      const above = reach([group], (node) => graph.starts(node, 'Contains', 'SameForestTrust'));
      return isA(group, 'Group') && domains.some((domain) => above.has(domain));
    });
  return allPairs(sources, groups);
});
