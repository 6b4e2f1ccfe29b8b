import { allPairs } from './certificates.ts';
import { type Graph, isA, isFalse, isTrue, type Node, union } from './graph.ts';
import { bindsWeakly, mapsByName, type Published, published } from './published.ts';
import {
  authenticates,
  authenticatesToSchannel,
  namesUserOrService,
  needsNoApproval,
  needsNoSignature,
  victimsOf,
  withDnsName,
} from './templates.ts';

const control = ['GenericAll', 'GenericWrite', 'Owns', 'WriteOwner', 'WriteDacl'];

function attackersOf(graph: Graph, victims: Iterable<Node>, kinds: readonly string[]): Set<Node> {
  const all = union(...[...victims].map((victim) => graph.starts(victim, ...kinds)));
  return new Set([...all].filter((node) => isA(node, 'Group', 'User', 'Computer')));
}

const attackersByName = ({ graph, template, ca }: Published) =>
  attackersOf(graph, withDnsName(victimsOf(graph, template, ca), template), [
    ...control,
    'WritePublicInformation',
  ]);

const attackersOfComputers = ({ graph, template, ca }: Published) =>
  attackersOf(
    graph,
    [...victimsOf(graph, template, ca)].filter((victim) => isA(victim, 'Computer')),
    control,
  );

const isWeakForEsc9 = (template: Node) =>
  needsNoApproval(template) &&
  authenticates(template) &&
  isTrue(template, 'nosecurityextension') &&
  isFalse(template, 'enrolleesuppliessubject') &&
  needsNoSignature(template);

const isWeakForEsc10 = (template: Node) =>
  needsNoApproval(template) &&
  authenticatesToSchannel(template) &&
  isFalse(template, 'enrolleesuppliessubject') &&
  needsNoSignature(template);

export const adcsEsc9a = published((found) => {
  const { graph, template, domains } = found;
  return isWeakForEsc9(template) && namesUserOrService(template)
    ? allPairs(attackersByName(found), domains.filter(bindsWeakly(graph)))
    : [];
});

export const adcsEsc9b = published((found) => {
  const { graph, template, domains } = found;
  return isWeakForEsc9(template) && isTrue(template, 'subjectaltrequiredns')
    ? allPairs(attackersOfComputers(found), domains.filter(bindsWeakly(graph)))
    : [];
});

export const adcsEsc10a = published((found) => {
  const { graph, template, domains } = found;
  return isWeakForEsc10(template) && namesUserOrService(template)
    ? allPairs(attackersByName(found), domains.filter(mapsByName(graph)))
    : [];
});

export const adcsEsc10b = published((found) => {
  const { graph, template, domains } = found;
  return isWeakForEsc10(template) && isTrue(template, 'subjectaltrequiredns')
    ? allPairs(attackersOfComputers(found), domains.filter(mapsByName(graph)))
    : [];
});
