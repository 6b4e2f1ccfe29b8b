import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../../test/graph/drawings.ts';
import { environmentsOf } from './environments.ts';

const [drawing] = readDrawings(`== drawn
  d: Domain id=S-1-5-21-1 collected=true
  away: Domain collected=false
  odd: Domain collected="true"
  bare: Domain collected=true domainsid=
  t: AZTenant id=0f-tenant tenantid=0F-Tenant collected=true
  ann: User domain=d
  dc: Computer domain=d
  both: User Computer domain=d
  staff: Group domain=d
  bea: AZUser tenantid=0f-Tenant
  app: AZServicePrincipal tenantid=0f-tenant
  vm: AZVM tenantid=0f-tenant
  device: AZDevice tenantid=0f-tenant
  guest: User domain=away
  lost: User`);
assert.ok(drawing !== undefined);
const { estate, nameOf } = drawing;
const environments = environmentsOf(estate);

const numbers = (of: Int32Array) => Object.fromEntries([...of].map((number, node) => [nameOf(node), number]));

describe('environmentsOf', () => {
  it('knows domains and tenants that were collected', () => {
    assert.deepEqual(environments.ids, ['S-1-5-21-1', 'BARE', '0F-TENANT']);
    assert.deepEqual(environments.isDomain, [true, true, false]);
  });

  it('tells where each node belongs, whatever the case of what it says', () => {
    const at = { d: 0, ann: 0, dc: 0, both: 0, staff: 0, bare: 1, t: 2, bea: 2, app: 2, vm: 2, device: 2 };
    assert.deepEqual(numbers(environments.of), { ...at, away: -1, odd: -1, guest: -1, lost: -1 });
  });

  it('counts principals once, and keeps those of other environments apart', () => {
    assert.deepEqual([...environments.principals], [3, 0, 3]);
    const principals = { ann: 0, dc: 0, both: 0, bea: 2, app: 2, vm: 2, guest: 3, lost: 3 };
    const others = ['d', 'away', 'odd', 'bare', 't', 'staff', 'device'].map((name) => [name, -1]);
    assert.deepEqual(numbers(environments.ofPrincipals), { ...principals, ...Object.fromEntries(others) });
  });
});
