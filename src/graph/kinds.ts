/**
 * The kinds of node that the program knows by itself, with the icon and colour they are shown with. Azure
 * icons and colours are this project's own choice; the others are the ones people know.
 */
export interface Icon {
  readonly type: 'font-awesome';
  /** A name of the free solid set, without the `fa-` prefix. */
  readonly name: string;
  readonly color: string;
}

const icons: Readonly<Record<string, readonly [name: string, color: string]>> = {
  User: ['user', '#17E625'],
  Computer: ['desktop', '#E67873'],
  Group: ['users', '#DBE617'],
  ADLocalGroup: ['users', '#DBE617'],
  GPO: ['list', '#998EFD'],
  OU: ['sitemap', '#FFAA00'],
  Container: ['box', '#F79A78'],
  Domain: ['globe', '#17E6B9'],
  AIACA: ['arrows-left-right-to-line', '#9769F0'],
  RootCA: ['landmark', '#6968E8'],
  EnterpriseCA: ['building', '#4696E9'],
  NTAuthStore: ['store', '#D575F5'],
  CertTemplate: ['id-card', '#B153F3'],
  IssuancePolicy: ['clipboard-check', '#99B2DD'],
  AZApp: ['window-restore', '#03FC84'],
  AZAutomationAccount: ['gears', '#F4BA44'],
  AZContainerRegistry: ['box-open', '#0885D7'],
  AZDevice: ['laptop', '#B18FCF'],
  AZFederatedIdentityCredential: ['passport', '#8BD3DD'],
  AZFunctionApp: ['bolt', '#F4BA44'],
  AZGroup: ['users', '#F57C9B'],
  AZKeyVault: ['lock', '#ED658C'],
  AZLogicApp: ['diagram-project', '#9EE047'],
  AZManagedCluster: ['cubes', '#326CE5'],
  AZManagementGroup: ['folder-tree', '#BD93D8'],
  AZResourceGroup: ['cube', '#89B9FF'],
  AZRole: ['clipboard-list', '#ED8537'],
  AZServicePrincipal: ['robot', '#C1D6D6'],
  AZSubscription: ['key', '#D2CCA1'],
  AZTenant: ['cloud', '#54F2F2'],
  AZUser: ['user', '#34D2EB'],
  AZVM: ['desktop', '#F9ADA0'],
  AZVMScaleSet: ['server', '#007CD0'],
  AZWebApp: ['globe', '#4696E9'],
};

export const builtInKinds: ReadonlyMap<string, Icon> = new Map(
  Object.entries(icons).map(([kind, [name, color]]) => [kind, { type: 'font-awesome', name, color }]),
);

/** Kinds that only say where a node comes from; they are its label when nothing better is known. */
const sourceKinds: ReadonlySet<string> = new Set(['Base', 'AZBase']);
const metaKinds: ReadonlySet<string> = new Set(['Meta', 'MetaDetail', 'MetaIncludes']);

/**
 * The kind that a node is shown as: its first kind that has an icon. A local group is one only if it is nothing
 * else, a source kind only if there is nothing at all; zone tags and kinds that nobody registered don't count.
 */
export function labelOf(kinds: readonly string[], isRegistered: (kind: string) => boolean): string {
  let fallback = 'Unknown';
  for (const kind of kinds) {
    if (metaKinds.has(kind)) return 'Meta';
    if (kind === 'ADLocalGroup') fallback = kind;
    else if (sourceKinds.has(kind)) fallback = fallback === 'Unknown' ? kind : fallback;
    else if (builtInKinds.has(kind) || isRegistered(kind)) return kind;
  }
  return fallback;
}

/** As `labelOf`; but what nobody registered is called by its own first kind, rather than by nothing or its source. */
export function typeOf(kinds: readonly string[], isRegistered: (kind: string) => boolean): string {
  const label = labelOf(kinds, isRegistered);
  if (label !== 'Unknown' && !sourceKinds.has(label)) return label;
  return kinds.find((kind) => !sourceKinds.has(kind) && !kind.startsWith('Tag_')) ?? label;
}
