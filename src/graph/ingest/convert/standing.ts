import { isObject, model } from './members.ts';
import { Field, type Statements } from './statements.ts';

/** What a record tells about whose word it is (gap 4.5). */
export interface Standing {
  /**
   * `listed`: the collector listed the domain that has it. `forest`: it is in the forest's Configuration, which the
   * collectors of all its domains list. `unread`: the collector added it without having read it.
   */
  readonly kind: 'listed' | 'forest' | 'unread';
  /** The SID of the object's own domain, where the record tells it. */
  readonly domain: string | undefined;
}

const readMembers = model('ObjectIdentifier', 'Properties');
const domainPrefix = /^S-1-5-21-\d+-\d+-\d+(?=-|$)/;
const inConfiguration = /(^|,)CN=CONFIGURATION,DC=/i;

export function standingOf(record: unknown): Standing {
  if (!isObject(record)) return { kind: 'listed', domain: undefined };
  const members = readMembers(record);
  const id = typeof members.ObjectIdentifier === 'string' ? members.ObjectIdentifier.toUpperCase() : '';
  const properties = isObject(members.Properties)
    ? (members.Properties as Readonly<Record<string, unknown>>)
    : {};
  const { domainsid, distinguishedname } = properties;
  const domain =
    typeof domainsid === 'string' && domainsid !== '' ? domainsid.toUpperCase() : domainPrefix.exec(id)?.[0];
  if (isAddedUnread(id, properties)) return { kind: 'unread', domain };
  const isForest = typeof distinguishedname === 'string' && inConfiguration.test(distinguishedname);
  return { kind: isForest ? 'forest' : 'listed', domain };
}

/**
 * Collectors add well-known principals to a file without having read them from the directory. The record that was
 * read may be in the same file, and each domain's collector knows only its own members.
 */
function isAddedUnread(id: string, properties: Readonly<Record<string, unknown>>): boolean {
  if (properties.reconcile === false) return true;
  return id.includes('-S-1-') && typeof properties.distinguishedname !== 'string';
}

type Said = Pick<Statements, 'nodes' | 'edges' | 'wholes'>;

/**
 * The same as a mere reference would say it: it fills in and adds, and neither takes anything back nor is taken back
 * by those who speak for the object. So it does not matter which of them comes first.
 */
export function addingOnly({ nodes, edges }: Said): Said {
  return {
    nodes: nodes.map((node) => (node.collected ? { ...node, collected: false } : node)),
    edges: edges.map(({ through: _, ...edge }) => ({ ...edge, by: Field.Elsewhere })),
    wholes: [],
  };
}
