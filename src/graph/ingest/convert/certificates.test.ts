import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  convert,
  edgesOf,
  fieldName,
  kindsOf,
  propertiesOf,
  wholesOf,
} from '../../../../test/server/statements.ts';

const id = '14CEE53E-0000-0000-0000-000000000001';
const record = (type: string, members: object) =>
  convert(type, { ObjectIdentifier: id, Properties: {}, ...members });

describe('authorities and stores', () => {
  for (const [type, kind, edge] of [
    ['rootcas', 'RootCA', 'RootCAFor'],
    ['ntauthstores', 'NTAuthStore', 'NTAuthStoreFor'],
  ] as const) {
    it(`states the domain of ${type}`, () => {
      const statements = record(type, { DomainSID: 'S-1-5-21-1' });
      assert.deepEqual(edgesOf(statements), [`${id} ${edge} S-1-5-21-1`]);
      assert.deepEqual(kindsOf(statements, id), [kind, 'Base']);
      assert.deepEqual(kindsOf(statements, 'S-1-5-21-1'), ['Domain', 'Base']);
      assert.deepEqual(edgesOf(record(type, { DomainSID: null })), []);
    });
  }

  for (const [type, kind] of [
    ['aiacas', 'AIACA'],
    ['certtemplates', 'CertTemplate'],
  ] as const) {
    it(`states no domain of ${type}`, () => {
      const statements = record(type, { DomainSID: 'S-1-5-21-1' });
      assert.deepEqual(edgesOf(statements), []);
      assert.deepEqual(kindsOf(statements, id), [kind, 'Base']);
    });
  }

  it('links an issuance policy to its group', () => {
    const statements = record('issuancepolicies', {
      GroupLink: { ObjectIdentifier: 's-1-5-21-1-513', ObjectType: 'Group' },
    });
    assert.deepEqual(edgesOf(statements), [`${id} OIDGroupLink S-1-5-21-1-513`]);
    assert.deepEqual(propertiesOf(statements, id), { grouplinkid: 'S-1-5-21-1-513' });
    const unlinked = record('issuancepolicies', {
      GroupLink: { ObjectIdentifier: null, ObjectType: 'Base' },
    });
    assert.deepEqual([edgesOf(unlinked), propertiesOf(unlinked, id)], [[], {}]);
  });
});

describe('enterprisecas', () => {
  const template = (ObjectIdentifier: unknown) => ({ ObjectIdentifier, ObjectType: 'CertTemplate' });
  const ca = (members: object) => record('enterprisecas', members);

  it('publishes templates', () => {
    const statements = ca({ enabledcerttemplates: [template('aa'), template(''), template('BB')] });
    assert.deepEqual(edgesOf(statements), [`AA PublishedTo ${id}`, `BB PublishedTo ${id}`]);
    assert.deepEqual(statements.edges[0]?.properties, { isacl: false });
    assert.deepEqual(kindsOf(statements, 'AA'), ['CertTemplate', 'Base']);
    assert.deepEqual(wholesOf(statements), [`EnabledCertTemplates end ${id}`]);
  });

  it('publishes nothing, as a whole', () => {
    const statements = ca({ EnabledCertTemplates: [] });
    assert.deepEqual([edgesOf(statements), wholesOf(statements)], [[], [`EnabledCertTemplates end ${id}`]]);
  });

  it('has a host', () => {
    const statements = ca({ HostingComputer: 'S-1-5-21-1-1000' });
    assert.deepEqual(edgesOf(statements), [`S-1-5-21-1-1000 HostsCAService ${id}`]);
    assert.deepEqual(wholesOf(statements), [`HostingComputer end ${id}`]);
  });

  it('says nothing of a host that it does not know', () => {
    const statements = ca({ HostingComputer: null });
    assert.deepEqual([edgesOf(statements), wholesOf(statements)], [[], []]);
  });

  describe('agents', () => {
    const restriction = (members: object) => ({
      AccessType: 'AccessAllowedCallback',
      Agent: { ObjectIdentifier: 'S-1-5-21-1-513', ObjectType: 'Group' },
      AllTemplates: false,
      Targets: [],
      Template: template('T1'),
      ...members,
    });
    const restricted = (Restrictions: object[], Collected = true) =>
      ca({
        EnabledCertTemplates: [template('A'), template('B')],
        CARegistryData: { EnrollmentAgentRestrictions: { Collected, Restrictions } },
      });
    const cases: [name: string, members: object, edges: string[]][] = [
      ['one template', {}, ['S-1-5-21-1-513 DelegatedEnrollmentAgent T1']],
      [
        'all templates',
        { AllTemplates: true, Template: null },
        ['S-1-5-21-1-513 DelegatedEnrollmentAgent A', 'S-1-5-21-1-513 DelegatedEnrollmentAgent B'],
      ],
      ['no template when denied', { AccessType: 'AccessDeniedCallback' }, []],
      ['no template when there is none', { Template: null }, []],
      ['no template without an agent', { Agent: { ObjectIdentifier: null } }, []],
    ];
    for (const [name, members, edges] of cases) {
      it(`may enroll for ${name}`, () => {
        assert.deepEqual(edgesOf(restricted([restriction(members)]), 'DelegatedEnrollmentAgent'), edges);
      });
    }

    it('remembers the authority, which is no end of the edge', () => {
      const statements = restricted([restriction({})]);
      assert.equal(statements.edges.at(-1)?.through, id);
      assert.deepEqual(wholesOf(statements), [
        `EnabledCertTemplates end ${id}`,
        `EnrollmentAgentRestrictions through ${id}`,
      ]);
    });

    it('tells whether there are restrictions, if collected', () => {
      const told = (statements: ReturnType<typeof ca>) =>
        propertiesOf(statements, id).hasenrollmentagentrestrictions;
      assert.equal(told(restricted([restriction({})])), true);
      assert.equal(told(restricted([])), false);
      const failed = restricted([restriction({})], false);
      assert.equal(told(failed), undefined);
      assert.deepEqual(edgesOf(failed, 'DelegatedEnrollmentAgent'), []);
      assert.deepEqual(wholesOf(failed), [`EnabledCertTemplates end ${id}`]);
    });
  });

  describe('security', () => {
    const ace = (RightName: string, PrincipalSID: string, PrincipalType = 'Group') => ({
      PrincipalSID,
      PrincipalType,
      RightName,
      IsInherited: false,
    });
    const secured = (Data: object[], Aces: object[] = [], Collected = true) =>
      ca({ Aces, HostingComputer: 'HOST', CARegistryData: { CASecurity: { Collected, Data } } });
    const by = (statements: ReturnType<typeof ca>) =>
      statements.edges
        .filter((edge) => edge.kind !== 'HostsCAService')
        .map((edge) => `${edge.start} ${edge.kind} ${fieldName(edge.by)}`)
        .sort();

    it('adds what the registry grants', () => {
      const data = [ace('ManageCA', 'G1'), ace('Enroll', 'G2'), ace('ManageCertificates', 'G3')];
      const statements = secured(data);
      assert.deepEqual(by(statements), [
        'G1 ManageCA CASecurity',
        'G2 Enroll CASecurity',
        'G3 ManageCertificates CASecurity',
      ]);
      assert.ok(wholesOf(statements).includes(`CASecurity end ${id}`));
    });

    it('leaves out local groups and owners of the registry', () => {
      assert.deepEqual(by(secured([ace('ManageCA', 'G1', 'ADLocalGroup'), ace('Owns', 'G2')])), []);
    });

    it('adds nothing when not collected', () => {
      const statements = secured([ace('ManageCA', 'G1')], [], false);
      assert.deepEqual(by(statements), []);
      assert.ok(!wholesOf(statements).includes(`CASecurity end ${id}`));
    });

    it('keeps what the directory grants', () => {
      const statements = secured([], [ace('Enroll', 'G1'), ace('ManageCA', 'HOST'), ace('GenericAll', 'G2')]);
      assert.deepEqual(
        [...new Set(by(statements))],
        ['G1 Enroll Aces', 'G2 GenericAll Aces', 'HOST ManageCA Aces'],
      );
    });

    it('limits the owner by rights that only the registry grants to owners', () => {
      const statements = secured([ace('ManageCA', 'CORP-S-1-3-4')], [ace('Owns', 'G1')]);
      assert.deepEqual(by(statements), ['G1 OwnsLimitedRights CASecurity', 'G1 OwnsRaw Aces']);
    });

    it('warns once of a right that both passes see', () => {
      assert.equal(secured([], [ace('AdminTo', 'G1')]).warnings.length, 1);
    });
  });

  it('tells the settings of the registry, if collected', () => {
    const settings = (Collected: boolean) =>
      propertiesOf(
        ca({
          CARegistryData: {
            IsUserSpecifiesSanEnabled: { Collected, Value: true },
            RoleSeparationEnabled: { Collected, Value: false },
          },
        }),
        id,
      );
    assert.deepEqual(settings(true), { isuserspecifiessanenabled: true, roleseparationenabled: false });
    assert.deepEqual(settings(false), {});
  });

  describe('web enrollment', () => {
    const endpoint = (Url: string, http: boolean, https: boolean, epa: boolean, Collected = true) => ({
      Collected,
      Result: {
        Url,
        ADCSWebEnrollmentHTTP: http,
        ADCSWebEnrollmentHTTPS: https,
        ADCSWebEnrollmentEPA: epa,
      },
    });
    const told = (...HttpEnrollmentEndpoints: object[]) => propertiesOf(ca({ HttpEnrollmentEndpoints }), id);

    it('names the endpoints that can be relayed to', () => {
      assert.deepEqual(
        told(endpoint('http://a', true, false, false), endpoint('https://b', false, true, false)),
        {
          httpenrollmentendpoints: ['http://a'],
          httpsenrollmentendpoints: ['https://b'],
          hasvulnerableendpoint: true,
        },
      );
    });

    it('is not vulnerable with channel binding, and forgets earlier endpoints', () => {
      assert.deepEqual(told(endpoint('https://b', false, true, true)), {
        httpenrollmentendpoints: null,
        httpsenrollmentendpoints: null,
        hasvulnerableendpoint: false,
      });
    });

    it('says nothing when not collected', () => {
      assert.deepEqual(told(endpoint('http://a', true, false, false, false)), {});
      assert.deepEqual(told(), {});
    });
  });
});
