import { type Estate, EstateBuilder } from '../../src/graph/analysis/estate.ts';
import { keptProperties } from '../../src/graph/analysis/kept-properties.ts';
import { collectedProperty, scannedProperty } from '../../src/graph/analysis/measure/completeness.ts';

/**
 * Small graphs that a person can read, for rules of analysis.
 *
 *     == a user with both rights
 *     d: Domain collected=true
 *     ann: User enabled=true
 *     staff: Group id=S-1-5-21-1-513
 *     ann -MemberOf-> staff
 *     ann -GetChanges-> d
 *     staff -GetChangesAll-> d
 *     => ann -DCSync-> d
 *
 * `==` begins a case. `name: Kind Kind key=value …` draws a node: values are JSON where they can be, otherwise text
 * without spaces (JSON text may have them); `id` is its object id (its name in upper case when left out), `domain=x` says
 * that it belongs to the drawn node x, `scanned` and `lastcollected` are what the store knows of it. `a -Kind-> b` draws
 * an edge, `a -Kind,Kind-> b` several. `=>` is an edge that must follow; all others of the kinds under test must not.
 * `=> a b` are nodes that must be found, where a zone is under test. `#` begins a comment. `AZHasRole(scoped)` beside an
 * AZHasRole says that the role was given for a part of the tenant only.
 *
 * What comes before the first `==` is part of every case. A case changes it by `name: ... key=value`, the node as it
 * was drawn except for this (`key=` takes the property away), and by `no a -Kind-> b`, which takes the edge away.
 */
export interface Drawing {
  readonly title: string;
  readonly estate: Estate;
  /** By the names of the drawing. */
  readonly expected: readonly DrawnEdge[];
  readonly expectedNodes: readonly string[];
  nameOf(node: number): string;
}

export interface DrawnEdge {
  readonly start: string;
  readonly kind: string;
  readonly end: string;
}

export function readDrawings(text: string): Drawing[] {
  const [before = '', ...cases] = text.split(/^== */m);
  return cases.map((part) => {
    const [title = '', ...lines] = part.split('\n');
    return readDrawing(title.trim(), [...before.split('\n'), ...lines]);
  });
}

function readDrawing(title: string, lines: readonly string[]): Drawing {
  const nodes = new Map<string, DrawnNode>();
  let edges: DrawnEdge[] = [];
  const expected: DrawnEdge[] = [];
  const expectedNodes: string[] = [];
  for (const raw of lines) {
    const line = raw.replace(/(^|\s)#.*$/, '').trim();
    if (line === '') continue;
    const node = /^(\w+): *(.*)$/.exec(line);
    const edge = /^(=> *|no )?(\w+) -([\w,()]+)-> (\w+)$/.exec(line);
    if (node) {
      const [, name = '', drawn = ''] = node;
      nodes.set(name, readNode(drawn, nodes.get(name)));
    } else if (edge) {
      const [, mark, start = '', kinds = '', end = ''] = edge;
      for (const kind of kinds.split(',')) {
        const drawn = { start, kind, end };
        if (mark === 'no ') edges = without(edges, drawn, line);
        else (mark ? expected : edges).push(drawn);
      }
    } else if (/^=>(?: +\w+)+$/.test(line)) expectedNodes.push(...line.split(/ +/).slice(1));
    else throw new Error(`${title}: can't read "${line}"`);
  }
  return {
    ...build(title, nodes, edges, [...expected.flatMap(({ start, end }) => [start, end]), ...expectedNodes]),
    expected,
    expectedNodes,
  };
}

function without(edges: readonly DrawnEdge[], { start, kind, end }: DrawnEdge, line: string): DrawnEdge[] {
  const left = edges.filter((edge) => !(edge.start === start && edge.kind === kind && edge.end === end));
  if (left.length === edges.length) throw new Error(`"${line}": there is no such edge`);
  return left;
}

interface DrawnNode {
  readonly kinds: string[];
  readonly properties: Record<string, unknown>;
}

function readNode(text: string, before: DrawnNode | undefined): DrawnNode {
  const words = text.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  const goesOn = words[0] === '...';
  if (goesOn && before === undefined) throw new Error(`"${text}" goes on with what is not drawn`);
  const kinds = goesOn ? [...(before?.kinds ?? [])] : [];
  const properties = goesOn ? { ...before?.properties } : {};
  for (const word of goesOn ? words.slice(1) : words) {
    const at = word.indexOf('=');
    if (at < 0) kinds.push(word);
    else if (at === word.length - 1) delete properties[word.slice(0, at)];
    else properties[word.slice(0, at)] = readValue(word.slice(at + 1));
  }
  return { kinds, properties };
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function build(
  title: string,
  nodes: ReadonlyMap<string, DrawnNode>,
  edges: readonly DrawnEdge[],
  mentioned: readonly string[],
): Pick<Drawing, 'title' | 'estate' | 'nameOf'> {
  const idOf = (name: string) => String(nodes.get(name)?.properties.id ?? name).toUpperCase();
  const builder = new EstateBuilder(new Set([...keptProperties, scannedProperty, collectedProperty]));
  const numbers = new Map<string, number>();
  for (const [name, { kinds, properties }] of nodes) {
    const { id: _id, domain, scanned, lastcollected, ...own } = properties;
    const belongs =
      typeof domain === 'string'
        ? { domainsid: idOf(domain) }
        : kinds.includes('Domain')
          ? { domainsid: idOf(name) }
          : {};
    const stored = { [scannedProperty]: scanned, [collectedProperty]: lastcollected };
    const properties_ = { name: name.toUpperCase(), ...belongs, ...stored, ...own };
    numbers.set(
      name,
      builder.node({ objectId: idOf(name), kinds: [...kinds, sourceOf(kinds)], properties: properties_ }),
    );
  }
  const numberOf = (name: string) => {
    const number = numbers.get(name);
    if (number === undefined) throw new Error(`${title}: ${name} is not drawn`);
    return number;
  };
  for (const { start, kind, end } of edges) builder.edge(numberOf(start), kind, numberOf(end));
  mentioned.forEach(numberOf);
  const names = [...numbers.keys()];
  return { title, estate: builder.build(), nameOf: (node) => names[node] ?? `#${node}` };
}

function sourceOf(kinds: readonly string[]): string {
  return kinds.some((kind) => kind.startsWith('AZ')) ? 'AZBase' : 'Base';
}
