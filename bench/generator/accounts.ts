import {
  common,
  computer,
  computerSid,
  type Domain,
  group,
  Kind,
  ou,
  type Principal,
  Runs,
  randomOf,
  someTime,
  user,
  userSid,
  wellKnown,
} from './domain.ts';
import type { Random } from './random.ts';
import { accountOperators, grant, inherited, slip, standard, Team, team } from './rights.ts';

const givenNames = ['ada', 'bruno', 'chloe', 'david', 'elena', 'farid', 'greta', 'hugo', 'ines', 'jonas'];
const surnames = ['abbott', 'becker', 'costa', 'duarte', 'engel', 'fischer', 'garcia', 'hansen', 'ito'];
const titles = ['Accountant', 'Engineer', 'Buyer', 'Analyst', 'Planner', 'Nurse', 'Driver'];

export const userRuns = ({ counts }: Domain) => new Runs(counts.users, counts.ous);

/** Accounts of services, and those whose password the domain keeps; the first of each domain. */
function roleOf(domain: Domain, n: number): 'person' | 'service' | 'managed' {
  if (n % 50 === 7) return 'service';
  return n % 400 === 11 && domain.counts.users > 20 ? 'managed' : 'person';
}

export function makeUser(domain: Domain, n: number): object {
  const random = randomOf(domain, Kind.User, n);
  const place = userRuns(domain).holderOf(n);
  const role = roleOf(domain, n);
  const person = `${random.pick(givenNames)}.${random.pick(surnames)}${n}`;
  const account = role === 'person' ? person : `${role === 'service' ? 'svc' : 'gmsa'}-${n}`;
  const hasSpn = role !== 'person' || random.chance(0.002);
  const host = random.below(domain.counts.computers);
  const isEnabled = !random.chance(0.12);
  const isUnconstrained = role === 'service' && random.chance(0.02);
  return {
    ObjectIdentifier: userSid(domain, n),
    Properties: {
      ...common(domain, `${account}@${domain.name}`, `CN=${account},OU=UNIT${place}`),
      samaccountname: role === 'managed' ? `${account}$` : account,
      isaclprotected: n < 5,
      ...(role === 'managed' ? { gmsa: true } : {}),
      description: random.chance(0.2) ? `${random.pick(titles)} since ${2015 + random.below(11)}` : null,
      whencreated: someTime(random),
      sensitive: random.chance(0.01),
      dontreqpreauth: random.chance(0.004),
      passwordnotreqd: random.chance(0.003),
      unconstraineddelegation: isUnconstrained,
      pwdneverexpires: role === 'service' || random.chance(0.05),
      enabled: isEnabled,
      trustedtoauth: false,
      lastlogon: isEnabled ? someTime(random) : 0,
      lastlogontimestamp: isEnabled ? someTime(random) : -1,
      pwdlastset: someTime(random),
      serviceprincipalnames: hasSpn ? [`MSSQLSvc/host${host}.${domain.name.toLowerCase()}:1433`] : [],
      hasspn: hasSpn,
      displayname: account.replace('.', ' '),
      email: role === 'person' ? `${account}@${domain.name.toLowerCase()}` : null,
      title: role === 'person' ? random.pick(titles) : null,
      homedirectory: null,
      userpassword: null,
      unixpassword: null,
      unicodepassword: null,
      sfupassword: null,
      logonscript: null,
      admincount: n < 5,
      sidhistory: [],
    },
    PrimaryGroupSID: wellKnown(domain, role === 'managed' ? 515 : 513),
    AllowedToDelegate: role === 'service' && random.chance(0.1) ? [computer(domain, host)] : [],
    HasSIDHistory: random.chance(0.001) ? [user(domain, random.below(domain.counts.users))] : [],
    SPNTargets:
      role === 'service' && random.chance(0.3)
        ? [{ ComputerSID: computerSid(domain, host), Port: 1433, Service: 'SQLAdmin' }]
        : [],
    ContainedBy: ou(domain, place),
    Aces: [
      ...standard(domain),
      grant(accountOperators(domain), 'GenericAll'),
      ...(n % 2 === 0 ? [grant(team(domain, Team.helpdesk + (place % 7)), 'ForceChangePassword')] : []),
      ...(role === 'managed' ? [grant(team(domain, n), 'ReadGMSAPassword')] : []),
      ...slip(domain, random, 0.01),
      ...inherited(domain, place, true),
    ],
    IsDeleted: false,
    IsACLProtected: n < 5,
  };
}

export const groupRuns = ({ counts }: Domain) => new Runs(counts.groups, counts.ous);

export function makeGroup(domain: Domain, n: number, others: readonly Domain[]): object {
  const random = randomOf(domain, Kind.Group, n);
  const place = groupRuns(domain).holderOf(n);
  const name = `${random.pick(['Team', 'Share', 'App', 'Role', 'List'])}-${n}`;
  return {
    ObjectIdentifier: group(domain, n).ObjectIdentifier,
    Properties: {
      ...common(domain, `${name}@${domain.name}`, `CN=${name},OU=UNIT${place}`),
      samaccountname: name,
      isaclprotected: false,
      description: random.chance(0.4) ? `Members of ${name}` : null,
      whencreated: someTime(random),
      admincount: false,
    },
    Members: membersOf(domain, n, random, others),
    ContainedBy: ou(domain, place),
    Aces: [
      ...standard(domain),
      ...(random.chance(0.2)
        ? [grant(userSid(domain, random.below(domain.counts.users)), 'AddMember', 'User')]
        : []),
      ...slip(domain, random, 0.03),
      ...inherited(domain, place, false),
    ],
    HasSIDHistory: [],
    IsDeleted: false,
    IsACLProtected: false,
  };
}

function membersOf(domain: Domain, n: number, random: Random, others: readonly Domain[]): Principal[] {
  const { users, computers, groups } = domain.counts;
  const members = new Map<string, Principal>();
  const put = (member: Principal) => members.set(member.ObjectIdentifier, member);
  const size = random.skewed(2, Math.ceil(users / 4) + 2);
  for (let left = size; left > 0; left -= 1) put(user(domain, random.below(users)));
  if (random.chance(0.05)) put(computer(domain, random.below(computers)));
  // Groups in groups go upwards by number, so that only the rings below are rings.
  if (n + 1 < groups && random.chance(0.3)) put(group(domain, n + 1 + random.below(groups - n - 1)));
  if (n % 90 === 41 && n + 1 < groups) put(group(domain, n + 1));
  if (n % 90 === 42) put(group(domain, n - 1));
  const [other] = others;
  if (other !== undefined && random.chance(0.01)) put(user(other, random.below(other.counts.users)));
  members.delete(group(domain, n).ObjectIdentifier);
  return [...members.values()];
}
