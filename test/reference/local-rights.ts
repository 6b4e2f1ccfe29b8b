import { crossProduct } from './cross-product.ts';
import { type Graph, type Node, type Pair, text, union } from './graph.ts';
import { isGroup, membersOf } from './groups.ts';

export const adminTo = (graph: Graph) => directMembers(graph, '-544');
export const canPsRemote = (graph: Graph) => directMembers(graph, '-580');
export const executeDcom = (graph: Graph) => directMembers(graph, '-562');

function directMembers(graph: Graph, ending: string): Pair[] {
  return graph.ofKind('Computer').flatMap((computer) =>
    localGroups(graph, computer, ending)
      .flatMap((group) => [...graph.starts(group, 'MemberOfLocalGroup')])
      .map((member): Pair => [member, computer]),
  );
}

function localGroups(graph: Graph, computer: Node, ending: string): Node[] {
  return [...graph.starts(computer, 'LocalToComputer')].filter((group) => group.objectId.endsWith(ending));
}

/** Who may log on remotely, and is in Remote Desktop Users; where Citrix is, also in its group. */
export function canRdp(graph: Graph, { citrixRdp }: { readonly citrixRdp: boolean }): Pair[] {
  return graph.ofKind('Computer').flatMap((computer) => {
    const direct = citrixRdp ? directAccessUsers(graph, computer) : undefined;
    return localGroups(graph, computer, '-555')
      .map((group) => remoteDesktopUsers(graph, computer, group))
      .flatMap((who) => [...(direct ? crossProduct(graph, who, direct) : who)])
      .filter((who) => who !== computer)
      .map((who): Pair => [who, computer]);
  });
}

function remoteDesktopUsers(graph: Graph, computer: Node, group: Node): Set<Node> {
  const holders = graph.starts(computer, 'RemoteInteractiveLogonRight');
  if (holders.has(group)) return graph.starts(group, 'MemberOfLocalGroup');
  const inside = membersOf(graph, group);
  const holdersInside = [...holders].filter((holder) => inside.has(holder));
  const membersInside = [...holders]
    .filter((holder) => isGroup(holder) && !inside.has(holder))
    .flatMap((holder) => [...membersOf(graph, holder)])
    .filter((member) => inside.has(member));
  return union(holdersInside, membersInside);
}

/** Members of the group that Citrix makes; undefined where there is none. */
function directAccessUsers(graph: Graph, computer: Node): Set<Node> | undefined {
  const groups = [...graph.starts(computer, 'LocalToComputer')].filter((group) =>
    text(group, 'name')?.toUpperCase().startsWith('DIRECT ACCESS USERS'),
  );
  return groups.length === 0
    ? undefined
    : union(...groups.map((group) => graph.starts(group, 'MemberOfLocalGroup')));
}
