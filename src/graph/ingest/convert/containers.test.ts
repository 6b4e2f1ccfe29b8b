import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  convert,
  edgesOf,
  fieldName,
  kindsOf,
  propertiesOf,
  warningsOf,
} from '../../../../test/server/statements.ts';

const guid = 'AAAA0000-0000-0000-0000-000000000001';
const sid = 'S-1-5-21-1';
const ann = { ObjectIdentifier: 'S-1-5-21-1-1105', ObjectType: 'User' };
const idOf = (type: string) => (type === 'domains' ? sid : guid);
const record = (type: string, members: object) =>
  convert(type, { ObjectIdentifier: idOf(type), Properties: {}, ...members });

describe('Contains', () => {
  const ContainedBy = { ObjectIdentifier: 'bbbb', ObjectType: 'OU' };
  const contained = [
    ...['users', 'groups', 'computers', 'ous', 'containers', 'aiacas', 'rootcas', 'enterprisecas'],
    ...['ntauthstores', 'certtemplates', 'issuancepolicies'],
  ];
  for (const type of contained) {
    it(`leads from its container to an element of ${type}`, () => {
      const statements = record(type, { ContainedBy });
      assert.deepEqual(edgesOf(statements, 'Contains'), [`BBBB Contains ${guid}`]);
      assert.deepEqual(statements.edges[0]?.properties, { isacl: false });
      assert.deepEqual(kindsOf(statements, 'BBBB'), ['OU', 'Base']);
      assert.deepEqual(edgesOf(record(type, { ContainedBy: null })), []);
    });
  }

  for (const type of ['domains', 'gpos']) {
    it(`has no container for ${type}`, () => {
      assert.deepEqual(edgesOf(record(type, { ContainedBy })), []);
    });
  }

  for (const type of ['domains', 'ous', 'containers']) {
    it(`leads from an element of ${type} to its children`, () => {
      const ChildObjects = [ann, { ObjectIdentifier: '', ObjectType: 'User' }];
      const statements = record(type, { ChildObjects });
      assert.deepEqual(edgesOf(statements), [`${idOf(type)} Contains S-1-5-21-1-1105`]);
      assert.equal(fieldName(statements.edges[0]?.by ?? 1), 'ChildObjects');
    });

    it(`keeps the hashes of what ${type} pass on`, () => {
      const statements = record(type, { InheritanceHashes: ['a', 'b'] });
      assert.deepEqual(propertiesOf(statements, idOf(type)), { inheritancehashes: ['a', 'b'] });
      assert.deepEqual(propertiesOf(record(type, { InheritanceHashes: [] }), idOf(type)), {});
      assert.deepEqual(warningsOf(record(type, { InheritanceHashes: ['a', 1] })), [
        'data[0].InheritanceHashes: must be a list of texts only, of numbers only, or of true and false only',
      ]);
    });
  }
});

for (const type of ['domains', 'ous']) {
  describe(`group policy of ${type}`, () => {
    const id = idOf(type);

    it('links policies, whatever the case of the member', () => {
      const Links = [{ GUID: 'p1', IsEnforced: true }, { Guid: 'p2' }, { guid: '' }, 'p3'];
      const statements = record(type, { Links });
      assert.deepEqual(edgesOf(statements), [`P1 GPLink ${id}`, `P2 GPLink ${id}`]);
      assert.deepEqual(
        statements.edges.map((edge) => edge.properties),
        [
          { isacl: false, enforced: true },
          { isacl: false, enforced: false },
        ],
      );
      assert.deepEqual(kindsOf(statements, 'P1'), ['GPO', 'Base']);
      assert.deepEqual(warningsOf(statements), ['data[0].Links[3]: must be an object, but is the text "p3"']);
    });

    it('puts members into the local groups of the affected computers', () => {
      const AffectedComputers = [{ ObjectIdentifier: 'S-1-5-21-1-2000', ObjectType: 'Computer' }];
      for (const [list, rid] of [
        ['LocalAdmins', '544'],
        ['RemoteDesktopUsers', '555'],
        ['DcomUsers', '562'],
        ['PSRemoteUsers', '580'],
      ] as const) {
        const statements = record(type, { GPOChanges: { AffectedComputers, [list]: [ann] } });
        const group = `S-1-5-21-1-2000-${rid}`;
        assert.deepEqual(edgesOf(statements), [
          `${group} LocalToComputer S-1-5-21-1-2000`,
          `S-1-5-21-1-1105 MemberOfLocalGroup ${group}`,
        ]);
        assert.deepEqual(kindsOf(statements, group), ['ADLocalGroup', 'Base']);
      }
    });

    it('changes nothing without members or without computers', () => {
      const AffectedComputers = [{ ObjectIdentifier: 'S-1-5-21-1-2000', ObjectType: 'Computer' }];
      assert.deepEqual(edgesOf(record(type, { GPOChanges: { AffectedComputers, LocalAdmins: [] } })), []);
      assert.deepEqual(edgesOf(record(type, { GPOChanges: { LocalAdmins: [ann] } })), []);
      assert.deepEqual(edgesOf(record(type, { GPOChanges: null })), []);
    });
  });
}

describe('domains', () => {
  it('reads numbers and truths that are written as texts', () => {
    const Properties = {
      machineaccountquota: '10',
      minpwdlength: 7,
      pwdproperties: '1',
      pwdhistorylength: '24',
      lockoutthreshold: 'never',
      expirepasswordsonsmartcardonlyaccounts: 'True',
    };
    const statements = record('domains', { Properties });
    assert.deepEqual(propertiesOf(statements, sid), {
      machineaccountquota: 10,
      minpwdlength: 7,
      pwdproperties: 1,
      pwdhistorylength: 24,
      expirepasswordsonsmartcardonlyaccounts: true,
    });
    assert.deepEqual(warningsOf(statements), ['data[0].Properties.lockoutthreshold: must be a whole number']);
  });
});

describe('GPOs', () => {
  const states: [raw: unknown, text: string][] = [
    ['0', 'Enabled'],
    [1, 'User Configuration Disabled'],
    [' 2', 'Computer Configuration Disabled'],
    ['3', 'Disabled'],
  ];
  for (const [raw, text] of states) {
    it(`says ${text} for ${JSON.stringify(raw)}`, () => {
      const statements = record('gpos', { Properties: { gpostatus: raw } });
      assert.deepEqual(propertiesOf(statements, guid), { gpostatusraw: String(raw).trim(), gpostatus: text });
    });
  }

  it('keeps a state that it does not know as it is, with a warning', () => {
    const statements = record('gpos', { Properties: { gpostatus: '9' } });
    assert.deepEqual(propertiesOf(statements, guid), { gpostatusraw: '9' });
    assert.equal(statements.warnings.length, 1);
  });

  it('has no state when none is told', () => {
    assert.deepEqual(propertiesOf(record('gpos', {}), guid), {});
  });
});

describe('trusts', () => {
  const target = 'S-1-5-21-2';
  const trust = (members: object) =>
    record('domains', {
      Trusts: [
        {
          TargetDomainSid: target,
          TargetDomainName: 'other.corp',
          IsTransitive: true,
          SidFilteringEnabled: true,
          TrustDirection: 'Bidirectional',
          TrustType: 'Forest',
          ...members,
        },
      ],
    });
  const there = (kind: string) => `${sid} ${kind} ${target}`;
  const back = (kind: string) => `${target} ${kind} ${sid}`;

  const cases: [members: object, edges: string[]][] = [
    [{ TrustDirection: 'Inbound' }, [back('CrossForestTrust')]],
    [{ TrustDirection: 'Outbound' }, [there('CrossForestTrust')]],
    [{ TrustDirection: 'Bidirectional' }, [back('CrossForestTrust'), there('CrossForestTrust')]],
    [{ TrustDirection: 'Disabled' }, []],
    [{ TrustType: 'ParentChild' }, [back('SameForestTrust'), there('SameForestTrust')]],
    [{ TrustType: 'TreeRoot', TrustDirection: 'Inbound' }, [back('SameForestTrust')]],
    [{ TrustType: 'CrossLink', TrustDirection: 'Outbound' }, [there('SameForestTrust')]],
    [{ TrustType: 'External', TrustDirection: 'Inbound' }, [back('CrossForestTrust')]],
    [
      { TrustDirection: 'Inbound', TGTDelegationEnabled: true },
      [back('CrossForestTrust'), back('AbuseTGTDelegation')],
    ],
    [{ TrustDirection: 'Outbound', TGTDelegationEnabled: true }, [there('CrossForestTrust')]],
    [
      { TrustDirection: 'Outbound', SidFilteringEnabled: false },
      [there('CrossForestTrust'), back('SpoofSIDHistory')],
    ],
    [{ TrustDirection: 'Inbound', SidFilteringEnabled: false }, [back('CrossForestTrust')]],
    [
      { TrustType: 'ParentChild', SidFilteringEnabled: false, TGTDelegationEnabled: true },
      [back('SameForestTrust'), there('SameForestTrust')],
    ],
    [{ TargetDomainSid: '' }, []],
  ];
  for (const [members, edges] of cases) {
    it(`with ${JSON.stringify(members)}`, () => assert.deepEqual(edgesOf(trust(members)), edges));
  }

  it('makes the other domain known', () => {
    const statements = trust({});
    assert.deepEqual(propertiesOf(statements, target), { name: 'OTHER.CORP', domainsid: target });
    assert.deepEqual(kindsOf(statements, target), ['Domain', 'Base']);
    assert.equal(statements.nodes.find((node) => node.objectId === target)?.collected, false);
    assert.deepEqual(propertiesOf(trust({ TargetDomainName: null }), target), { domainsid: target });
  });

  it('tells attributes and delegation only when the attributes are known', () => {
    assert.deepEqual(
      trust({}).edges.map((edge) => edge.properties),
      [
        { isacl: false, trusttype: 'Forest', transitive: true },
        { isacl: false, trusttype: 'Forest', spoofsidhistoryblocked: true, transitive: true },
      ],
    );
    for (const TrustAttributes of [8, '8']) {
      assert.deepEqual(
        trust({ TrustAttributes }).edges.map((edge) => edge.properties),
        [
          {
            isacl: false,
            trusttype: 'Forest',
            transitive: true,
            trustattributesinbound: 8,
            tgtdelegation: false,
          },
          {
            isacl: false,
            trusttype: 'Forest',
            spoofsidhistoryblocked: true,
            transitive: true,
            trustattributesoutbound: 8,
          },
        ],
      );
    }
  });

  it('warns of a direction that it does not know', () => {
    const statements = trust({ TrustDirection: 'Sideways' });
    assert.deepEqual(edgesOf(statements), []);
    assert.match(warningsOf(statements).join(), /Trusts\[0\]\.TrustDirection: must be Disabled, Inbound/);
  });
});
