import type { Estate } from './estate.ts';

const [selected, below, above] = [1, 2, 3];

/** What belongs to a zone because of what was selected for it: all that is below, then what stands above. */
export class Expansion {
  readonly #estate: Estate;
  /** How each node came in, as `zoneSource` says; 0 for nodes that are not in. */
  readonly #state: Uint8Array;
  /** Members in the order in which they were found. */
  readonly #members: Int32Array;
  #count = 0;

  constructor(estate: Estate) {
    this.#estate = estate;
    this.#state = new Uint8Array(estate.size);
    this.#members = new Int32Array(estate.size);
  }

  /** Good until the next call. */
  of(seeds: Iterable<number>): Uint8Array {
    this.#state.fill(0);
    this.#count = 0;
    for (const node of seeds) this.#add(node, selected);
    // What is found goes to the end, and is looked at in its turn.
    for (let at = 0; at < this.#count; at++) this.#addBelow(this.#members[at] as number);
    this.#addParents();
    return this.#state;
  }

  #add(node: number, how: number): void {
    if (this.#state[node] !== 0) return;
    this.#state[node] = how;
    this.#members[this.#count] = node;
    this.#count += 1;
  }

  #addBelow(node: number): void {
    const estate = this.#estate;
    const addAll = (nodes: Int32Array) => {
      for (const found of nodes) this.#add(found, below);
    };
    if (estate.has(node, 'Group')) addAll(estate.sources(node, 'MemberOf'));
    if (estate.has(node, 'OU') || estate.has(node, 'Container')) addAll(estate.targets(node, 'Contains'));
    if (estate.has(node, 'AZGroup')) addAll(estate.sources(node, 'AZMemberOf'));
    if (isAzureScope(estate, node)) addAll(estate.targets(node, 'AZContains'));
    if (estate.has(node, 'AZRole')) {
      addAll(estate.sources(node, 'AZHasRole'));
      addAll(estate.sources(node, 'AZRoleEligible'));
    }
  }

  /** Once, above what is selected or below it: what stands beside a member under the same parent stays out. */
  #addParents(): void {
    const estate = this.#estate;
    const members = this.#members.slice(0, this.#count);
    const directory = members.filter((node) => estate.has(node, 'Base'));
    const azure = members.filter((node) => !estate.has(node, 'Base') && estate.has(node, 'AZBase'));
    for (const container of this.#containersOf(directory)) this.#add(container, above);
    const units = this.#ancestors(directory, 'Contains', isUnitOrContainer).filter((node) =>
      estate.has(node, 'OU'),
    );
    for (const unit of units) this.#add(unit, above);
    for (const node of directory) this.#addPolicies(node);
    for (const unit of units) this.#addPolicies(unit);
    for (const scope of this.#ancestors(azure, 'AZContains', () => true))
      if (isAzureScope(estate, scope)) this.#add(scope, above);
    for (const node of azure) if (estate.has(node, 'AZServicePrincipal')) this.#addApps(node);
  }

  /** A container's rights reach what is in it, however deep, unless that is protected; unknown counts as protected. */
  #containersOf(members: Int32Array): Int32Array {
    const open = members.filter((node) => this.#estate.property(node, 'isaclprotected') === false);
    return this.#ancestors(open, 'Contains', isUnitOrContainer).filter((node) =>
      this.#estate.has(node, 'Container'),
    );
  }

  #addPolicies(node: number): void {
    for (const policy of this.#estate.sources(node, 'GPLink')) {
      if (this.#estate.has(policy, 'GPO')) this.#add(policy, above);
    }
  }

  #addApps(principal: number): void {
    for (const app of this.#estate.sources(principal, 'AZRunsAs')) {
      if (this.#estate.has(app, 'AZApp')) this.#add(app, above);
    }
  }

  /** All that contains one of these nodes, at any distance, by way of what passes `leadsOn`. */
  #ancestors(
    nodes: Int32Array,
    kind: string,
    leadsOn: (estate: Estate, node: number) => boolean,
  ): Int32Array {
    const containing = this.#estate.edges(kind);
    const seen = new Uint8Array(this.#estate.size);
    const found: number[] = [];
    const look = (node: number) => {
      for (const parent of containing.sources(node)) {
        if (seen[parent] === 1 || !leadsOn(this.#estate, parent)) continue;
        seen[parent] = 1;
        found.push(parent);
      }
    };
    for (const node of nodes) look(node);
    for (let at = 0; at < found.length; at++) look(found[at] as number);
    return Int32Array.from(found);
  }
}

function isUnitOrContainer(estate: Estate, node: number): boolean {
  return estate.has(node, 'OU') || estate.has(node, 'Container');
}

function isAzureScope(estate: Estate, node: number): boolean {
  return ['AZResourceGroup', 'AZManagementGroup', 'AZSubscription'].some((kind) => estate.has(node, kind));
}
