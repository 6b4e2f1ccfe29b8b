import { putDirectory } from './azure/directory.ts';
import { putResourceRoles } from './azure/resource-roles.ts';
import { putResources } from './azure/resources.ts';
import { putRoles } from './azure/roles.ts';
import { defaultSize, type TenantSize, TenantSketch } from './azure/sketch.ts';
import { type AzureItem, inStyle, type WireStyle } from './azure-wire.ts';

export interface TenantWish extends Partial<TenantSize> {
  readonly seed?: number;
  readonly style?: WireStyle;
}

/**
 * What the collector sends of a made-up tenant, the same for the same seed and sizes, in either style:
 * objects first, then what relates them, as the collector lists them.
 */
export function azureTenant({ seed = 1, style = 'older', ...size }: TenantWish = {}): AzureItem[] {
  const sketch = new TenantSketch(seed, { ...defaultSize, ...size });
  putDirectory(sketch);
  putRoles(sketch);
  putResources(sketch);
  putResourceRoles(sketch);
  return sketch.items.map((item) => inStyle(item, style));
}

/** The id of its tenant, in upper case. */
export function azureTenantId(seed = 1): string {
  return new TenantSketch(seed, defaultSize).tenantId.toUpperCase();
}
