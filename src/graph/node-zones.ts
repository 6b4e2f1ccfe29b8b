/** The one place that knows how a node's zone is read: in the analysis that is published. */

export const tierZeroKind = 'Tag_Tier_Zero';
/** What Tier Zero is called among the properties of a node. */
const tierZeroTag = 'admin_tier_0';

/** What a zone's nodes show among their kinds. */
export function kindOfZone(name: string): string {
  return `Tag_${name.replace(/[^A-Za-z0-9]/g, '_')}`;
}

export const publishedAnalysis = '(select analysis_id from published_analysis where id = 1)';

/** The kind of the zone of a node, null if it is in none: one lookup for every node shown. */
export function zoneOf(node: string): string {
  return `(select (select zk.kind from analysis_zones zk
      where zk.analysis_id = zn.analysis_id and zk.tag_id = zn.tag_id)
    from node_zones zn where zn.analysis_id = ${publishedAnalysis} and zn.node_id = ${node}.id)`;
}

export function kindsWithZone(kinds: readonly string[], zone: string | null): readonly string[] {
  return zone === null || kinds.includes(zone) ? kinds : [...kinds, zone];
}

/** Whether a node is in Tier Zero is for analysis to say, whatever was uploaded. */
export function propertiesInZone(
  properties: Readonly<Record<string, unknown>>,
  kinds: readonly string[],
): Readonly<Record<string, unknown>> {
  const { system_tags: stored, ...others } = properties;
  const isTierZero = kinds.includes(tierZeroKind);
  if (stored === undefined) return isTierZero ? { ...others, system_tags: tierZeroTag } : properties;
  const words = String(stored)
    .split(' ')
    .filter((word) => word !== '' && word !== tierZeroTag);
  const tags = isTierZero ? [tierZeroTag, ...words] : words;
  return tags.length === 0 ? others : { ...others, system_tags: tags.join(' ') };
}
