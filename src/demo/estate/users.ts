import { type Account, accountsOf } from './accounts.ts';
import {
  commonProperties,
  corp,
  type DemoDomain,
  grant,
  standardRights,
  untouched,
  wellKnown,
} from './domain.ts';
import { teams } from './groups.ts';
import { container, type UnitName, unit } from './places.ts';
import { isOn, story } from './story.ts';

const unitOf: Readonly<Record<Account['kind'], UnitName>> = {
  person: 'People',
  service: 'Servers',
  administrator: 'Administration',
};

export function makeUsers(domain: DemoDomain, day: number): object[] {
  return accountsOf(domain, day).map((account) => makeUser(account, day));
}

function makeUser(account: Account, day: number): object {
  const { domain, sid, name, kind } = account;
  const isBuiltIn = /-50\d$/.test(sid);
  const isProtected = kind === 'administrator' || isBuiltIn;
  const place = isBuiltIn ? 'CN=USERS' : `OU=${unitOf[kind]}`;
  return {
    ObjectIdentifier: sid,
    Properties: {
      ...commonProperties(domain, `${name}@${domain.name}`, `CN=${name},${place}`),
      isaclprotected: isProtected,
      samaccountname: name,
      displayname: name.replace('.', ' '),
      email: kind === 'person' ? `${name}@${domain.name.toLowerCase()}` : null,
      enabled: account.isEnabled(day),
      hasspn: account.hasSpn,
      serviceprincipalnames: account.hasSpn ? [`${name}/${domain.name.toLowerCase()}`] : [],
      dontreqpreauth: account.needsNoPreauth(day),
      passwordnotreqd: false,
      pwdneverexpires: kind === 'service',
      unconstraineddelegation: false,
      trustedtoauth: false,
      sensitive: isProtected && !isOn(story.delegableAdministrators, day),
      admincount: isProtected,
      sidhistory: [],
    },
    PrimaryGroupSID: wellKnown(domain, 513),
    AllowedToDelegate: [],
    HasSIDHistory: [],
    SPNTargets: [],
    ContainedBy: isBuiltIn ? container(domain, 'Users') : unit(domain, unitOf[kind]),
    Aces: [
      ...standardRights(domain),
      ...(kind === 'person' && domain === corp ? [grant(teams.helpdesk, 'ForceChangePassword')] : []),
    ],
    ...untouched,
    IsACLProtected: isProtected,
  };
}
