import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../../test/graph/drawings.ts';
import { defaultSelectors } from '../default-selectors.ts';
import { derive } from '../derive.ts';
import { assignZones } from '../zones.ts';
import { type Measured, measure } from './measure.ts';

/** One collected tenant, one that was only mentioned, and a person of a domain who is in the cloud as well. */
const drawn = `== a tenant
  t: AZTenant id=t-1 tenantid=T-1 collected=true name=CONTOSO
  other: AZTenant id=t-2 tenantid=T-2
  d: Domain id=S-1-5-21-1 collected=true
  ann: User domain=d id=S-1-5-21-1-1107
  ga: AZRole id=62e90394-69f5-4237-9190-012177145e10@T-1 tenantid=T-1 templateid=62e90394-69f5-4237-9190-012177145e10 enduserassignmentrequiresmfa=false
  pra: AZRole id=e8611ab8-c189-46e8-94e1-60213ab1f814@T-1 tenantid=T-1 templateid=e8611ab8-c189-46e8-94e1-60213ab1f814
  hd: AZRole id=729827e3-9c14-49f7-bb1b-9608f156bbb8@T-1 tenantid=T-1 templateid=729827e3-9c14-49f7-bb1b-9608f156bbb8 enduserassignmentrequiresmfa=false
  boss: AZUser tenantid=T-1 onpremsyncenabled=true onpremid=S-1-5-21-1-1107
  bea: AZUser tenantid=T-1
  cid: AZUser tenantid=T-1
  vm: AZVM tenantid=T-1
  graph: AZServicePrincipal tenantid=T-1
  tool: AZServicePrincipal tenantid=T-1
  away: AZUser tenantid=T-2
  t -AZContains-> ga
  t -AZContains-> hd
  t -AZContains-> boss
  t -AZContains-> bea
  t -AZContains-> cid
  t -AZContains-> graph
  t -AZContains-> tool
  boss -AZHasRole-> ga
  bea -AZHasRole-> hd
  vm -AZManagedIdentity-> tool
  tool -AZMGRoleManagement_ReadWrite_Directory-> graph
  away -AZOwns-> boss`;

describe('posture of a tenant', () => {
  const [drawing] = readDrawings(drawn);
  assert.ok(drawing !== undefined);
  const { estate, nameOf } = drawing;
  derive(estate, { citrixRdp: false });
  const selectors = defaultSelectors.map(({ key }) => ({ rule: key }));
  const zones = [{ id: 1, position: 1, kind: 'Tag_Tier_Zero', selectors }];
  const { tag } = assignZones(estate, zones);
  const { environments, findings, points }: Measured = measure(estate, zones, tag);
  const number = environments.ids.indexOf('T-1');
  const measures = (id: string) =>
    Object.fromEntries(
      points
        .filter(({ environmentId, tagId }) => environmentId === id && tagId === 1)
        .map(({ dataType, numerator, denominator }) => [dataType, `${numerator}/${denominator}`]),
    );

  it('is measured where it was collected', () => {
    assert.deepEqual(environments.ids, ['S-1-5-21-1', 'T-1']);
  });

  it('has findings of its own types', () => {
    const lines = findings
      .filter(({ environment }) => environment === number)
      .map(({ type, source, target, exposureCount, exposureInside }) => {
        return `${type} ${nameOf(source)} -> ${nameOf(target)} ${exposureCount}/${exposureInside}`;
      });
    assert.deepEqual(
      lines.sort(),
      [
        // From outside of the tenant, who has no part in it.
        'AzureT0Owns away -> boss 1/0',
        // The machine and its identity, which give themselves what they want.
        'AzureT0MGGrantAppRoles tool -> t 2/2',
        'AzureT0MGGrantRole tool -> ga 2/2',
        'AzureT0SyncedToEntraUser ann -> boss 1/0',
        // The other role of Tier Zero has no policy that was collected; helpdesk is not in it.
        'AzureT0RoleActivationNoMFA ga -> ga 0/0',
      ].sort(),
    );
  });

  it('has exposure, assets, findings and attack paths, and no completeness', () => {
    assert.deepEqual(measures('T-1'), {
      // The machine and its identity, of six principals.
      exposure: '2/6',
      // The tenant, its two roles and who has one.
      assets: '4/0',
      findings: '5/0',
      // Those who can use the first four, and those who fall with the role.
      'attack-paths': '12/0',
      'checked AzureT0RoleActivationNoMFA': '1/2',
    });
    assert.deepEqual(
      points.filter(({ dataType }) => dataType.includes('completeness')).map((point) => point.environmentId),
      ['S-1-5-21-1', 'S-1-5-21-1'],
    );
  });
});
