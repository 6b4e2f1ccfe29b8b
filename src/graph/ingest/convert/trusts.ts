import { adKindsOf, type Draft } from './draft.ts';
import { model } from './members.ts';
import type { AdObject } from './object.ts';
import { Field, type Properties } from './statements.ts';

const trustModel = model(
  'TargetDomainSid',
  'TargetDomainName',
  'IsTransitive',
  'SidFilteringEnabled',
  'TrustDirection',
  'TrustType',
  'TrustAttributes',
  'TGTDelegationEnabled',
);

/** Trusts between domains of one forest; all others leave it. */
const forestTrusts: ReadonlySet<unknown> = new Set(['ParentChild', 'TreeRoot', 'CrossLink']);
const directions: ReadonlySet<unknown> = new Set(['Disabled', 'Inbound', 'Outbound', 'Bidirectional']);

export function stateTrusts({ draft, id, members }: AdObject<'Trusts'>): void {
  draft.list(members.Trusts, 'Trusts').forEach((value, index) => {
    const object = draft.object(value, `Trusts[${index}]`);
    if (object !== undefined) stateTrust(draft, id, trustModel(object), `Trusts[${index}]`);
  });
}

function stateTrust(draft: Draft, domain: string, trust: ReturnType<typeof trustModel>, path: string): void {
  const target = draft.id(trust.TargetDomainSid, `${path}.TargetDomainSid`);
  if (target === undefined) return;
  const direction = trust.TrustDirection;
  if (!directions.has(direction)) {
    draft.warn(`${path}.TrustDirection`, 'must be Disabled, Inbound, Outbound or Bidirectional');
  }
  const name = draft.id(trust.TargetDomainName, `${path}.TargetDomainName`);
  const properties = { domainsid: target, ...(name === undefined ? {} : { name }) };
  draft.node({ objectId: target, kinds: adKindsOf('Domain'), properties, collected: false });

  const isForest = forestTrusts.has(trust.TrustType);
  const kind = isForest ? 'SameForestTrust' : 'CrossForestTrust';
  const attributes = trustAttributes(trust.TrustAttributes);
  const delegates = draft.flag(trust.TGTDelegationEnabled, `${path}.TGTDelegationEnabled`);
  const filters = draft.flag(trust.SidFilteringEnabled, `${path}.SidFilteringEnabled`);
  const transitive = draft.flag(trust.IsTransitive, `${path}.IsTransitive`);
  const shared: Properties = {
    isacl: false,
    trusttype: typeof trust.TrustType === 'string' ? draft.text(trust.TrustType, path) : 'Unknown',
  };

  if (direction === 'Inbound' || direction === 'Bidirectional') {
    const known =
      attributes === undefined ? {} : { trustattributesinbound: attributes, tgtdelegation: delegates };
    draft.edge(target, kind, domain, Field.TrustsInbound, { ...shared, transitive, ...known });
    if (!isForest && delegates) {
      draft.edge(target, 'AbuseTGTDelegation', domain, Field.TrustsInbound, shared);
    }
  }
  if (direction === 'Outbound' || direction === 'Bidirectional') {
    const known = attributes === undefined ? {} : { trustattributesoutbound: attributes };
    draft.edge(domain, kind, target, Field.TrustsOutbound, {
      ...shared,
      spoofsidhistoryblocked: filters,
      transitive,
      ...known,
    });
    // Who is trusted without filtering can come with any SID: the way leads from the trusted domain to this one.
    if (!isForest && !filters) draft.edge(target, 'SpoofSIDHistory', domain, Field.TrustsInbound, shared);
  }
}

/** A number, or one that is written as a text; older collectors don't give it. */
function trustAttributes(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
}
