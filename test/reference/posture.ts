import { findingKinds, traversable } from './finding-kinds.ts';
import {
  environment,
  Graph,
  isA,
  isFalse,
  isPresent,
  isTrue,
  type Node,
  number,
  type Pair,
  reach,
  text,
} from './graph.ts';
import type { PostureEstate } from './random-posture.ts';

/** What was found, one line each: what it is, then who can use it and who falls with it. */
export interface SlowMeasures {
  readonly findings: readonly string[];
  readonly points: readonly string[];
}

interface Finding {
  readonly tag: number;
  readonly type: string;
  readonly environment: string;
  readonly source: Node;
  readonly target: Node;
  /** Principals; none for a finding about one node. */
  readonly exposed: readonly Node[];
  readonly fallen: readonly Node[];
}

/** Findings and posture by plain searches, one or two for every finding. */
export function measureSlowly({ nodes, edges, zones, tags }: PostureEstate): SlowMeasures {
  const graph = new Graph(nodes, edges);
  const steps = [...traversable].flatMap((kind) => graph.pairs(kind));
  const environments = graph
    .ofKind('Domain', 'AZTenant')
    .filter((node) => isTrue(node, 'collected'))
    .map(({ objectId }) => objectId);
  const principals = graph.ofKind('User', 'Computer', 'AZUser', 'AZServicePrincipal', 'AZVM');
  const principalsOf = (id: string) => principals.filter((node) => home(node) === id);
  const downstream = (node: Node) => {
    const reached = reach([node], (from) => endsOf(steps, from)).add(node);
    return principals.filter((principal) => reached.has(principal));
  };

  const upstream = (node: Node) => {
    const reaching = reach([node], (to) => startsOf(steps, to)).add(node);
    return principals.filter((principal) => reaching.has(principal));
  };

  const findings: Finding[] = hygiene(graph, tags)
    .filter(({ target }) => environments.includes(home(target)))
    .map((found) => ({
      ...found,
      tag: 0,
      environment: home(found.target),
      // A finding about one principal has nobody who could use it.
      exposed: found.source === found.target ? [] : upstream(found.source),
      fallen: downstream(found.target),
    }));
  const points: string[] = [];
  for (const { type, of, told, wrong, among } of lists) {
    const asked = graph.ofKind(among).filter((node) => tags.get(node.objectId) === 1 && of(node));
    for (const node of asked.filter((node) => wrong(node) && environments.includes(home(node)))) {
      const ends = { environment: home(node), source: node, target: node };
      findings.push({ tag: 1, type, ...ends, exposed: [], fallen: downstream(node) });
    }
    for (const id of environments) {
      if (isA(graph.get(id), 'Domain') !== (among === 'User')) continue;
      const own = asked.filter((node) => home(node) === id);
      points.push(`checked ${type} 1 ${id} ${own.filter(told).length}/${own.length}`);
    }
  }
  for (const { id: tag, position } of zones) {
    const inOrAbove = new Set(
      zones.filter((zone) => zone.position <= position).map((zone): number | undefined => zone.id),
    );
    const isOutside = (node: Node) => !inOrAbove.has(tags.get(node.objectId));
    const outside = steps.filter(([start, end]) => isOutside(start) && isOutside(end));
    const crossing = (pairs: readonly Pair[]) =>
      pairs.filter(([start, end]) => isOutside(start) && tags.get(end.objectId) === tag);

    for (const { id: type, kind } of findingKinds.filter(({ category }) => category === 'zone'))
      for (const [source, target] of crossing(graph.pairs(kind as string))) {
        if (!environments.includes(home(target))) continue;
        const reaching = reach([source], (to) => startsOf(outside, to)).add(source);
        const exposed = principals.filter((principal) => reaching.has(principal));
        const fallen = downstream(target);
        findings.push({ tag, type, environment: home(target), source, target, exposed, fallen });
      }

    for (const id of environments) {
      const doors = crossing(steps)
        .filter(([, target]) => home(target) === id)
        .map(([source]) => source);
      const exposed = principalsOf(id).filter((principal) => {
        const reached = reach([principal], (from) => endsOf(outside, from)).add(principal);
        return isOutside(principal) && doors.some((door) => reached.has(door));
      });
      const assets = nodes.filter((node) => tags.get(node.objectId) === tag && home(node) === id);
      points.push(`exposure ${tag} ${id} ${exposed.length}/${principalsOf(id).length}`);
      points.push(`assets ${tag} ${id} ${assets.length}/0`);
    }
  }

  for (const tag of [0, ...zones.map(({ id }) => id)])
    for (const id of environments) {
      const own = findings.filter((finding) => finding.tag === tag && finding.environment === id);
      const paths = own.map(
        ({ source, target, exposed, fallen }) => (tag === 0 || source === target ? fallen : exposed).length,
      );
      points.push(`findings ${tag} ${id} ${own.length}/0`);
      points.push(`attack-paths ${tag} ${id} ${paths.reduce((sum, count) => sum + count, 0)}/0`);
    }
  for (const id of environments.filter((id) => isA(graph.get(id), 'Domain')))
    points.push(...completeness(graph, id));
  return { findings: findings.map(lineOf), points };
}

/** Without an environment of its own, a domain or tenant is one. */
function home(node: Node): string {
  return environment(node) ?? node.objectId;
}

function endsOf(pairs: readonly Pair[], start: Node): Node[] {
  return pairs.filter((pair) => pair[0] === start).map((pair) => pair[1]);
}

function startsOf(pairs: readonly Pair[], end: Node): Node[] {
  return pairs.filter((pair) => pair[1] === end).map((pair) => pair[0]);
}

/** What can be wrong with one node of Tier Zero: of which kind it is, whether that is told, and whether it is wrong. */
const lists: readonly {
  type: string;
  among: string;
  of(node: Node): boolean;
  told(node: Node): boolean;
  wrong(node: Node): boolean;
}[] = [
  {
    type: 'T0MarkSensitive',
    among: 'User',
    of: (user) => isTrue(user, 'enabled'),
    told: (user) => isPresent(user, 'sensitive'),
    wrong: (user) => isFalse(user, 'sensitive'),
  },
  {
    type: 'AzureT0RoleActivationNoMFA',
    among: 'AZRole',
    of: () => true,
    told: (role) =>
      isPresent(role, 'enduserassignmentrequiresmfa') ||
      isTrue(role, 'enduserassignmentrequirescapauthenticationcontext'),
    wrong: (role) =>
      isFalse(role, 'enduserassignmentrequiresmfa') &&
      !isTrue(role, 'enduserassignmentrequirescapauthenticationcontext'),
  },
];

function hygiene(graph: Graph, tags: ReadonlyMap<string, number>) {
  const enabled = graph.ofKind('User').filter((user) => isTrue(user, 'enabled'));
  const about = (type: string) => (user: Node) => ({ type, source: user, target: user });
  const kerberoastable = enabled.filter((user) => isTrue(user, 'hasspn') && !user.objectId.endsWith('-502'));
  const withoutPreauthentication = enabled.filter((user) => isTrue(user, 'dontreqpreauth'));
  const large = findingKinds
    .filter(({ category }) => category === 'large-default-group')
    .flatMap(({ id: type, kind }) =>
      graph.pairs(kind as string).map(([source, target]) => ({ type, source, target })),
    )
    .filter(({ source }) => isA(source, 'Group') && isLargeDefaultGroup(source.objectId))
    .filter(({ target }) => tags.get(target.objectId) !== 1);
  return [
    ...kerberoastable.map(about('Kerberoasting')),
    ...withoutPreauthentication.map(about('ASREPRoasting')),
    ...large,
  ];
}

/** Domain Users, Domain Computers, Authenticated Users, Everyone and Users. */
function isLargeDefaultGroup(id: string): boolean {
  return ['-513', '-515', '-S-1-5-11', '-S-1-1-0', '-S-1-5-32-545'].some((ending) => id.endsWith(ending));
}

function completeness(graph: Graph, id: string): string[] {
  const active = graph.ofKind('Computer').filter((computer) => {
    const [seen, collected] = [number(computer, 'lastlogontimestamp'), number(computer, '(last collected)')];
    return (
      home(computer) === id &&
      isTrue(computer, 'enabled') &&
      text(computer, 'operatingsystem')?.toUpperCase().includes('WINDOWS') === true &&
      seen !== undefined &&
      collected !== undefined &&
      collected / 1000 - seen <= 14 * 24 * 60 * 60
    );
  });
  const scanned = (bits: readonly number[]) =>
    active.filter((computer) => bits.includes(number(computer, '(scanned)') ?? 0)).length;
  return [
    `session-completeness 0 ${id} ${scanned([1, 3])}/${active.length}`,
    `group-completeness 0 ${id} ${scanned([2, 3])}/${active.length}`,
  ];
}

function lineOf({ tag, type, environment, source, target, exposed, fallen }: Finding): string {
  const counted = (found: readonly Node[]) =>
    `${found.length}/${found.filter((node) => home(node) === environment).length}`;
  const ends = `${source.objectId} -> ${target.objectId}`;
  return `${tag} ${type} ${environment} ${ends} exposure ${counted(exposed)} impact ${counted(fallen)}`;
}
