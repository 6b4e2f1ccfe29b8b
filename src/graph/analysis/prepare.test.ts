import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MadeUp, putTogether } from '../ingest/write/made-up.ts';
import { type PreparedNode, Wants } from './prepare.ts';

const sid = 'S-1-5-21-1-2-3';

function node(objectId: string, kinds: string[], properties: Record<string, unknown> = {}): PreparedNode {
  return { objectId, kinds, properties };
}

const domain = node(sid, ['Domain', 'Base'], { name: 'example.org', collected: true });
const mentioned = node(sid, ['Domain', 'Base'], { name: 'EXAMPLE.ORG' });

interface Change {
  readonly objectId: string;
  readonly addKinds?: readonly string[];
  readonly setProperties?: Readonly<Record<string, unknown>>;
}

/** What a graph of these nodes still needs. */
function amendmentsFor(nodes: readonly PreparedNode[]): { newNodes: PreparedNode[]; changes: Change[] } {
  const wants = new Wants(nodes);
  const ids = new Set(nodes.map(({ objectId }) => objectId));
  return {
    newNodes: [...wants.groups]
      .filter(([objectId]) => !ids.has(objectId))
      .map(([objectId, { kinds, properties }]) => ({ objectId, kinds, properties })),
    changes: nodes.flatMap((one) => changeOf(one.objectId, wants.of(one))),
  };
}

function changeOf(objectId: string, { kinds, properties }: MadeUp): Change[] {
  const isNamed = Object.keys(properties).length > 0;
  if (kinds.length === 0 && !isNamed) return [];
  return [
    {
      objectId,
      ...(kinds.length > 0 && { addKinds: kinds }),
      ...(isNamed && { setProperties: properties }),
    },
  ];
}

/** As the graph is once they are made. */
function amended(nodes: readonly PreparedNode[]): PreparedNode[] {
  const wants = new Wants(nodes);
  const { newNodes } = amendmentsFor(nodes);
  return [...nodes, ...newNodes].map(({ objectId, kinds, properties }) => {
    const stated = { kinds, properties: { ...properties } };
    const after = putTogether(stated, wants.of({ objectId, ...stated }));
    return { objectId, kinds: after.kinds, properties: after.properties };
  });
}

describe('what a graph needs before analysis', () => {
  it('wants the well-known groups of a collected domain', () => {
    const { newNodes, changes } = amendmentsFor([domain]);
    assert.deepEqual(
      newNodes.map(({ objectId, properties }) => `${objectId} ${properties.name}`),
      [
        'EXAMPLE.ORG-S-1-1-0 EVERYONE@EXAMPLE.ORG',
        'EXAMPLE.ORG-S-1-5-11 AUTHENTICATED USERS@EXAMPLE.ORG',
        `${sid}-513 DOMAIN USERS@EXAMPLE.ORG`,
        `${sid}-515 DOMAIN COMPUTERS@EXAMPLE.ORG`,
        'EXAMPLE.ORG-S-1-5-2 NETWORK@EXAMPLE.ORG',
        'EXAMPLE.ORG-S-1-5-15 THIS ORGANIZATION@EXAMPLE.ORG',
        'EXAMPLE.ORG-S-1-5-65-1 THIS ORGANIZATION CERTIFICATE@EXAMPLE.ORG',
        'EXAMPLE.ORG-S-1-18-1 AUTHENTICATION AUTHORITY ASSERTED IDENTITY@EXAMPLE.ORG',
        'EXAMPLE.ORG-S-1-18-4 KEY TRUST@EXAMPLE.ORG',
        'EXAMPLE.ORG-S-1-18-5 MFA KEY PROPERTY@EXAMPLE.ORG',
        'EXAMPLE.ORG-S-1-5-64-10 NTLM AUTHENTICATION@EXAMPLE.ORG',
        'EXAMPLE.ORG-S-1-5-64-14 SCHANNEL AUTHENTICATION@EXAMPLE.ORG',
      ],
    );
    for (const { kinds, properties } of newNodes) {
      assert.deepEqual(kinds, ['Group', 'Base']);
      assert.equal(properties.domain, 'EXAMPLE.ORG');
      assert.equal(properties.domainsid, sid);
    }
    assert.deepEqual(changes, []);
  });

  it('leaves the groups that exist as they are, wherever they come among the nodes', () => {
    const users = node(`${sid}-513`, ['Group', 'Base'], { name: 'DOMÄNEN-BENUTZER@EXAMPLE.ORG' });
    const everyone = node('EXAMPLE.ORG-S-1-1-0', ['Group', 'Base'], { name: 'JEDER@EXAMPLE.ORG' });
    const { newNodes, changes } = amendmentsFor([users, domain, everyone]);
    assert.equal(newNodes.length, 10);
    assert.ok(!newNodes.some(({ objectId }) => [users.objectId, everyone.objectId].includes(objectId)));
    assert.deepEqual(changes, []);
  });

  it('names those that were only mentioned', () => {
    const stub = node('EXAMPLE.ORG-S-1-5-11', ['Base']);
    for (const nodes of [
      [stub, domain],
      [domain, stub],
    ]) {
      const { newNodes } = amendmentsFor(nodes);
      assert.ok(!newNodes.some(({ objectId }) => objectId === stub.objectId));
      assert.deepEqual(
        amended(nodes).find(({ objectId }) => objectId === stub.objectId),
        {
          objectId: stub.objectId,
          kinds: ['Group', 'Base'],
          properties: { name: 'AUTHENTICATED USERS@EXAMPLE.ORG', domain: 'EXAMPLE.ORG', domainsid: sid },
        },
      );
    }
  });

  it('wants none for a domain that was only mentioned, or that has no name', () => {
    assert.deepEqual(amendmentsFor([mentioned]).newNodes, []);
    assert.deepEqual(amendmentsFor([node(sid, ['Domain'], { collected: true })]).newNodes, []);
    assert.deepEqual(
      amendmentsFor([node(sid, ['Base'], { name: 'EXAMPLE.ORG', collected: true })]).newNodes,
      [],
    );
  });

  it('names what a named domain has no name for', () => {
    const nodes = [
      node(`${sid}-1107`, ['User', 'Base']),
      node(`${sid}-1108`, ['Base'], { name: '' }),
      mentioned,
    ];
    assert.deepEqual(
      amendmentsFor(nodes).changes,
      [1107, 1108].map((rid) => ({
        objectId: `${sid}-${rid}`,
        setProperties: { name: `(EXAMPLE.ORG) ${sid}-${rid}`, domainsid: sid },
      })),
    );
  });

  it('does not name what has a name, nor what belongs to no named domain', () => {
    const nodes = [
      node(`${sid}-1107`, ['User', 'Base'], { name: 'ANN@EXAMPLE.ORG' }),
      node('S-1-5-21-7-7-7-1107', ['User', 'Base']),
      node(`${sid}-1104-544`, ['ADLocalGroup', 'Base']),
      node('EXAMPLE.ORG-S-1-5-9', ['Group', 'Base']),
      node('0F0F0F0F-0000-0000-0000-000000000001', ['GPO', 'Base']),
    ];
    assert.deepEqual(amendmentsFor([mentioned, ...nodes]).changes, []);
    assert.deepEqual(
      amendmentsFor([node(sid, ['Domain', 'Base']), node(`${sid}-1107`, ['User', 'Base'])]).changes,
      [],
    );
  });

  for (const id of [
    ...['512', '516', '518', '519', '526', '527'].map((rid) => `${sid}-${rid}`),
    'EXAMPLE.ORG-S-1-5-9',
    'EXAMPLE.ORG-S-1-5-32-544',
    'EXAMPLE.ORG-S-1-5-32-551',
  ])
    it(`makes ${id} a group`, () => {
      assert.deepEqual(amendmentsFor([node(id, ['Base'], { name: 'X' })]).changes, [
        { objectId: id, addKinds: ['Group'] },
      ]);
    });

  it('makes no group of others', () => {
    const ids = [`${sid}-513`, `${sid}-1512`, `${sid}-1104-544`, 'HOST-544', 'EXAMPLE.ORG-S-1-5-32-545'];
    assert.deepEqual(amendmentsFor(ids.map((id) => node(id, ['Base'], { name: 'X' }))).changes, []);
  });

  it('does both to the same node', () => {
    assert.deepEqual(amendmentsFor([mentioned, node(`${sid}-512`, ['Base'])]).changes, [
      {
        objectId: `${sid}-512`,
        addKinds: ['Group'],
        setProperties: { name: `(EXAMPLE.ORG) ${sid}-512`, domainsid: sid },
      },
    ]);
  });

  describe('of management groups', () => {
    const tenant = node('0F-TENANT', ['AZTenant', 'AZBase'], { name: 'Contoso' });
    const group = (properties: Record<string, unknown>) =>
      node('/MANAGEMENT', ['AZManagementGroup', 'AZBase'], {
        displayname: 'Root group',
        tenantid: '0f-tenant',
        ...properties,
      });
    const named = { objectId: '/MANAGEMENT', setProperties: { name: 'ROOT GROUP@CONTOSO' } };

    it('are named after themselves and their tenant, in whatever order they come', () => {
      assert.deepEqual(amendmentsFor([group({}), tenant]).changes, [named]);
      assert.deepEqual(amendmentsFor([tenant, group({})]).changes, [named]);
      assert.deepEqual(amendmentsFor([tenant, group({ name: 'STATED' })]).changes, []);
      assert.deepEqual(amendmentsFor(amended([tenant, group({})])).changes, []);
    });

    it('keep what they have where one of the names is missing', () => {
      const unnamed = node(tenant.objectId, ['AZTenant', 'AZBase']);
      assert.deepEqual(amendmentsFor([unnamed, group({})]).changes, []);
      assert.deepEqual(amendmentsFor([group({})]).changes, []);
      assert.deepEqual(
        amendmentsFor([node(tenant.objectId, ['AZApp'], { name: 'X' }), group({})]).changes,
        [],
      );
      for (const properties of [{ displayname: '' }, { displayname: undefined }, { tenantid: 'OTHER' }])
        assert.deepEqual(amendmentsFor([tenant, group(properties)]).changes, []);
    });
  });

  it('changes nothing the second time', () => {
    const nodes = amended([domain, node(`${sid}-512`, ['Base']), node(`${sid}-1107`, ['User', 'Base'])]);
    assert.equal(nodes.length, 15);
    assert.deepEqual(amendmentsFor(nodes), { newNodes: [], changes: [] });
  });
});
