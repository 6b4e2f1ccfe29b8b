import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  convert,
  edgesOf,
  kindsOf,
  propertiesOf,
  warningsOf,
  wholesOf,
} from '../../../../test/server/statements.ts';

const id = 'S-1-5-21-1-2000';
const ann = { ObjectIdentifier: 'S-1-5-21-1-1105', ObjectType: 'User' };
const computer = (members: object) =>
  convert('computers', { ObjectIdentifier: id, Properties: {}, ...members });
const session = { ComputerSID: id, UserSID: ann.ObjectIdentifier };

describe('computers', () => {
  const domain = 'S-1-5-21-1';
  const stated: [name: string, members: object, edges: string[]][] = [
    ['the primary group', { PrimaryGroupSID: 'S-1-5-21-1-515' }, [`${id} MemberOf S-1-5-21-1-515`]],
    ['delegation', { AllowedToDelegate: [ann] }, [`${id} AllowedToDelegate S-1-5-21-1-1105`]],
    ['who may act', { AllowedToAct: [ann] }, [`S-1-5-21-1-1105 AllowedToAct ${id}`]],
    ['nobody who may act', { AllowedToAct: [{ ObjectIdentifier: null }] }, []],
    ['managed passwords', { DumpSMSAPassword: [ann] }, [`${id} DumpSMSAPassword S-1-5-21-1-1105`]],
    ['no managed passwords', { DumpSMSAPassword: [] }, []],
    ['SID history', { HasSIDHistory: [ann] }, [`${id} HasSIDHistory S-1-5-21-1-1105`]],
    ['the domain of a controller', { IsDC: true, DomainSID: domain }, [`${id} DCFor ${domain}`]],
    ['no domain of another computer', { IsDC: false, DomainSID: domain }, []],
    [
      'no coercion of a controller',
      { IsDC: true, DomainSID: domain, Properties: { unconstraineddelegation: true, domainsid: domain } },
      [`${id} DCFor ${domain}`],
    ],
    [
      'coercion of a controller whose domain is not told beside the properties',
      { IsDC: true, Properties: { unconstraineddelegation: true, domainsid: domain } },
      [`${id} CoerceToTGT ${domain}`],
    ],
    ['coercion', { DomainSID: domain, UnconstrainedDelegation: true }, [`${id} CoerceToTGT ${domain}`]],
  ];
  for (const [name, members, edges] of stated) {
    it(`states ${name}`, () => assert.deepEqual(edgesOf(computer(members)), edges));
  }

  for (const set of ['Sessions', 'PrivilegedSessions', 'RegistrySessions']) {
    it(`states ${set} when collected`, () => {
      const statements = computer({ [set]: { Collected: true, Results: [session] } });
      assert.deepEqual(edgesOf(statements), [`${id} HasSession S-1-5-21-1-1105`]);
      assert.deepEqual(statements.edges[0]?.properties, { isacl: false });
      assert.deepEqual(statements.nodes[0]?.scanned, { sessions: true, localGroups: false });
      assert.deepEqual(wholesOf(statements), []);
      const failed = computer({ [set]: { Collected: false, Results: [session] } });
      assert.deepEqual(edgesOf(failed), []);
      assert.deepEqual(failed.nodes[0]?.scanned, { sessions: false, localGroups: false });
    });
  }

  it('states no session without a user', () => {
    const Results = [{ ComputerSID: id, UserSID: '' }];
    assert.deepEqual(edgesOf(computer({ Sessions: { Collected: true, Results } })), []);
  });

  it('is skipped before version 5, with one warning for the file', () => {
    const old = (index: number) => convert('computers', { ObjectIdentifier: id }, { version: 4, index });
    assert.deepEqual([old(0).nodes, old(1).nodes], [[], []]);
    assert.equal(old(1).skipped, 'computers before version 5');
    assert.match(warningsOf(old(0)).join(), /read from version 5 on, this file has version 4/);
    assert.deepEqual(warningsOf(old(1)), []);
    assert.equal(convert('computers', { ObjectIdentifier: id }, { version: 5 }).nodes.length, 1);
  });
});

describe('local groups', () => {
  const group = (members: object) => ({
    ObjectIdentifier: `${id}-544`,
    Name: 'Administrators@PC.CORP',
    Results: [ann],
    LocalNames: [],
    Collected: true,
    ...members,
  });
  const stated = (...groups: object[]) => computer({ LocalGroups: groups });

  it('states the group and its members', () => {
    const statements = stated(group({}));
    assert.deepEqual(edgesOf(statements), [
      `${id}-544 LocalToComputer ${id}`,
      `S-1-5-21-1-1105 MemberOfLocalGroup ${id}-544`,
    ]);
    assert.deepEqual(kindsOf(statements, `${id}-544`), ['ADLocalGroup', 'Base']);
    assert.deepEqual(propertiesOf(statements, `${id}-544`), { name: 'ADMINISTRATORS@PC.CORP' });
    assert.deepEqual(wholesOf(statements), [`LocalGroupMembers end ${id}-544`, `LocalGroups end ${id}`]);
    assert.deepEqual(statements.nodes[0]?.scanned, { sessions: false, localGroups: true });
  });

  it('states nothing of a group that was not collected', () => {
    const statements = stated(group({ Collected: false }));
    assert.deepEqual([edgesOf(statements), wholesOf(statements)], [[], []]);
  });

  it('states an empty group as a whole without making it', () => {
    const statements = stated(group({ Results: [] }));
    assert.deepEqual(edgesOf(statements), []);
    assert.equal(kindsOf(statements, `${id}-544`).length, 0);
    assert.deepEqual(wholesOf(statements), [`LocalGroupMembers end ${id}-544`, `LocalGroups end ${id}`]);
  });

  it('makes the direct access users even when they are nobody', () => {
    const statements = stated(group({ Name: 'Direct Access Users@PC.CORP', Results: [] }));
    assert.deepEqual(edgesOf(statements), [`${id}-544 LocalToComputer ${id}`]);
  });

  it('gives no name to a group whose name is to be ignored', () => {
    const statements = stated(group({ Name: 'IGNOREME' }));
    assert.deepEqual(propertiesOf(statements, `${id}-544`), {});
    assert.equal(edgesOf(statements).length, 2);
  });

  it('does not state the list as a whole when one group failed', () => {
    const statements = stated(group({}), group({ ObjectIdentifier: `${id}-555`, Collected: false }));
    assert.deepEqual(wholesOf(statements), [`LocalGroupMembers end ${id}-544`]);
  });

  it('names local accounts', () => {
    const LocalNames = [{ ObjectIdentifier: `${id}-500`, PrincipalName: 'Administrator@PC' }];
    const statements = stated(group({ LocalNames }));
    assert.deepEqual(propertiesOf(statements, `${id}-500`), { name: 'ADMINISTRATOR@PC' });
    assert.deepEqual(kindsOf(statements, `${id}-500`), ['Base']);
  });
});

describe('user rights', () => {
  const right = (members: object) => ({
    Privilege: 'SeRemoteInteractiveLogonRight',
    Results: [ann],
    Collected: true,
    ...members,
  });

  it('states who may log on remotely', () => {
    const statements = computer({ UserRights: [right({})] });
    assert.deepEqual(edgesOf(statements), [`S-1-5-21-1-1105 RemoteInteractiveLogonRight ${id}`]);
    assert.equal(propertiesOf(statements, id).hasura, true);
    assert.deepEqual(wholesOf(statements), [`UserRights end ${id}`]);
  });

  for (const [name, members] of [
    ['of other rights', { Privilege: 'SeBackupPrivilege' }],
    ['when not collected', { Collected: false }],
  ] as const) {
    it(`states nothing ${name}`, () => {
      const statements = computer({ UserRights: [right(members)] });
      assert.deepEqual([edgesOf(statements), wholesOf(statements)], [[], []]);
      assert.equal(propertiesOf(statements, id).hasura, undefined);
    });
  }
});

describe('settings of a computer', () => {
  const netlogon = { vulnerablenetlogonsecuritydescriptorcollected: false };
  const none = {
    restrictoutboundntlm: null,
    restrictreceivingntlmtraffic: null,
    requiresecuritysignature: null,
    enablesecuritysignature: null,
    ntlmminclientsec: null,
    ntlmminserversec: null,
    lmcompatibilitylevel: null,
    usemachineid: null,
    clientallowedntlmservers: null,
  };
  const missing = 'Registry value does not exist';
  const cases: [name: string, members: object, properties: object][] = [
    ['nothing', {}, netlogon],
    ['the web client', { IsWebClientRunning: { Collected: true, Result: true } }, { webclientrunning: true }],
    ['no web client', { IsWebClientRunning: { Collected: false, Result: true } }, {}],
    [
      'SMB signing',
      { SmbInfo: { Collected: true, Result: { SigningEnabled: false } } },
      { smbsigning: false },
    ],
    ['no SMB signing', { SmbInfo: { Collected: false, Result: { SigningEnabled: true } } }, {}],
    ['NTLM without values', { NTLMRegistryData: { Collected: true, Result: {} } }, none],
    ['no NTLM', { NTLMRegistryData: { Collected: false, Result: { UseMachineId: 1 } } }, {}],
    [
      'NTLM',
      {
        NTLMRegistryData: {
          Collected: true,
          Result: {
            RestrictSendingNtlmTraffic: 2,
            RestrictReceivingNTLMTraffic: 1,
            RequireSecuritySignature: 1,
            EnableSecuritySignature: 0,
            NtlmMinClientSec: 536870912,
            NtlmMinServerSec: 0,
            LmCompatibilityLevel: 5,
            UseMachineId: 1,
            ClientAllowedNTLMServers: ['a'],
          },
        },
      },
      {
        restrictoutboundntlm: true,
        restrictreceivingntlmtraffic: false,
        requiresecuritysignature: true,
        enablesecuritysignature: false,
        ntlmminclientsec: 536870912,
        ntlmminserversec: 0,
        lmcompatibilitylevel: 5,
        usemachineid: true,
        clientallowedntlmservers: ['a'],
      },
    ],
    [
      'LDAP under its newer names',
      { Properties: { ldapenabled: true, ldapsenabled: false } },
      { ldapavailable: true, ldapsavailable: false },
    ],
    [
      'certificate mapping',
      { DCRegistryData: { CertificateMappingMethods: { Collected: true, Value: 31 } } },
      {
        certificatemappingmethodsraw: 31,
        certificatemappingmethods: [
          '0x01: One-to-one (subject/issuer)',
          '0x02: Many-to-one (issuer certificate)',
          '0x04: User principal name (UPN/SAN)',
          '0x08: Kerberos service-for-user (S4U) certificate',
          '0x10: Kerberos service-for-user (S4U) explicit certificate',
        ],
      },
    ],
    [
      'no certificate mapping in the registry',
      { DCRegistryData: { CertificateMappingMethods: { Collected: true, Value: -1 } } },
      { certificatemappingmethodsraw: -1, certificatemappingmethods: [missing] },
    ],
    [
      'no certificate mapping',
      { DCRegistryData: { CertificateMappingMethods: { Collected: false, Value: 4 } } },
      {},
    ],
    ...(
      [
        [-1, missing],
        [0, 'Disabled'],
        [1, 'Compatibility mode'],
        [2, 'Full enforcement mode'],
      ] as const
    ).map(([Value, text]): [string, object, object] => [
      `certificate binding ${Value}`,
      { DCRegistryData: { StrongCertificateBindingEnforcement: { Collected: true, Value } } },
      { strongcertificatebindingenforcementraw: Value, strongcertificatebindingenforcement: text },
    ]),
    [
      'the Netlogon descriptor',
      { DCRegistryData: { VulnerableNetlogonSecurityDescriptor: { Collected: true, Value: 'O:BA' } } },
      {
        vulnerablenetlogonsecuritydescriptorcollected: true,
        vulnerablenetlogonsecuritydescriptor: 'O:BA',
      },
    ],
  ];
  for (const [name, members, properties] of cases) {
    it(`has ${name}`, () => {
      assert.deepEqual(propertiesOf(computer(members), id), { ...netlogon, ...properties });
    });
  }
});

describe('sessions', () => {
  it('states a session with its type of logon', () => {
    const statements = convert('sessions', { ...session, LogonType: 2 }, { methods: 0 });
    assert.deepEqual(edgesOf(statements), [`${id} HasSession S-1-5-21-1-1105`]);
    assert.deepEqual(statements.edges[0]?.properties, { logontype: 2 });
    assert.deepEqual(
      statements.nodes.map((node) => [node.kinds, node.collected]),
      [
        [['Computer', 'Base'], false],
        [['User', 'Base'], false],
      ],
    );
  });

  for (const record of [{ ...session, UserSID: '' }, { UserSID: 'x' }, null, [], 'x']) {
    it(`refuses ${JSON.stringify(record)}`, () => {
      const statements = convert('sessions', record, { index: 3 });
      assert.equal(statements.problems[0]?.path, 'data[3]');
      assert.deepEqual(statements.edges, []);
    });
  }
});
