import type { CollectorFile } from './graph-files.ts';

/** Numbers from 0 to 1, the same ones for the same seed. */
export type Random = () => number;

const reference = (id: string, type: string) => ({ ObjectIdentifier: id, ObjectType: type });

export function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => [random(), value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value);
}

/**
 * What collectors write about a forest: one list of files per domain. Each of them lists its own domain, the forest's
 * Configuration as far as it may read it, and principals that it has not read.
 */
export function forestFiles(random: Random, name: string, domainCount: number): CollectorFile[][] {
  const some = <T>(values: readonly T[]) => values.filter(() => random() < 0.5);
  const number = () => 1 + Math.floor(random() * 1e6);
  const domains = Array.from({ length: domainCount }, (_, index) => ({
    sid: `S-1-5-21-${number()}-${number()}-${number()}`,
    name: index === 0 ? name : `CHILD${index}.${name}`,
  }));
  type Domain = (typeof domains)[number];
  const root = domains[0] as Domain;
  const dn = (domain: Domain) =>
    domain.name
      .split('.')
      .map((part) => `DC=${part}`)
      .join(',');
  const principals = domains.flatMap(({ sid }) => [1101, 1102, 1103].map((rid) => `${sid}-${rid}`));
  const aces = () =>
    some(principals).map((PrincipalSID) => ({
      PrincipalSID,
      PrincipalType: 'User',
      RightName: random() < 0.5 ? 'GenericAll' : 'WriteDacl',
      IsInherited: false,
    }));
  const own = ({ sid, name }: Domain, more: object) => ({ domain: name, domainsid: sid, ...more });

  const containers = ['SITES', 'SERVICES', 'AIA'].map((title) => ({
    ObjectIdentifier: `${name}-${title}`,
    Properties: own(root, {
      name: `${title}@${name}`,
      distinguishedname: `CN=${title},CN=CONFIGURATION,${dn(root)}`,
    }),
    Aces: aces(),
    ChildObjects: some(principals).map((id) => reference(id, 'User')),
  }));
  /** Another domain's collector sees a part of it. */
  const seenFrom = (domain: Domain) =>
    containers.map((container) =>
      domain === root
        ? container
        : {
            ...container,
            Aces: [...some(container.Aces), ...aces()],
            ChildObjects: some(container.ChildObjects),
          },
    );

  return domains.map((domain) => {
    const users = [1101, 1102, 1103].map((rid) => ({
      ObjectIdentifier: `${domain.sid}-${rid}`,
      Properties: own(domain, {
        name: `u${rid}@${domain.name}`,
        distinguishedname: `CN=U${rid},CN=USERS,${dn(domain)}`,
      }),
      PrimaryGroupSID: `${domain.sid}-513`,
      Aces: aces(),
      ContainedBy: reference(`${domain.name}-USERS`, 'Container'),
    }));
    const group = (id: string, properties: object, read: boolean) => ({
      ObjectIdentifier: id,
      Properties: own(domain, read ? properties : { ...properties, reconcile: false }),
      Aces: read ? aces() : [],
      Members: some(principals).map((member) => reference(member, 'User')),
    });
    const admins = { name: `ADMINISTRATORS@${domain.name}` };
    const files: CollectorFile[] = [
      {
        type: 'domains',
        data: [
          {
            ObjectIdentifier: domain.sid,
            Properties: own(domain, { name: domain.name, distinguishedname: dn(domain), collected: true }),
            Aces: aces(),
            ChildObjects: [reference(`${domain.name}-USERS`, 'Container')],
            Trusts: [],
          },
        ],
      },
      { type: 'users', data: users },
      {
        type: 'groups',
        data: shuffled(
          [
            group(
              `${domain.sid}-513`,
              { name: `DOMAIN USERS@${domain.name}`, distinguishedname: `CN=DU,${dn(domain)}` },
              true,
            ),
            group(
              `${domain.name}-S-1-5-32-544`,
              { ...admins, distinguishedname: `CN=ADMINISTRATORS,${dn(domain)}` },
              true,
            ),
            group(`${domain.name}-S-1-5-32-544`, admins, false),
            {
              ...group(`${name}-S-1-5-9`, {}, false),
              Properties: own(root, { name: `ENTERPRISE DOMAIN CONTROLLERS@${name}`, reconcile: false }),
            },
          ],
          random,
        ),
      },
      {
        type: 'containers',
        data: shuffled(
          [
            {
              ObjectIdentifier: `${domain.name}-USERS`,
              Properties: own(domain, {
                name: `USERS@${domain.name}`,
                distinguishedname: `CN=USERS,${dn(domain)}`,
              }),
              Aces: aces(),
              ChildObjects: users.map(({ ObjectIdentifier }) => reference(ObjectIdentifier, 'User')),
            },
            ...seenFrom(domain),
          ],
          random,
        ),
      },
    ];
    return files;
  });
}
