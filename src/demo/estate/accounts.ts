import { chance, corp, type DemoDomain, plant, principal, wellKnown } from './domain.ts';
import { before, isOn, type Span, since, story } from './story.ts';

/** A user, and the days on which there is one. */
export interface Account {
  readonly domain: DemoDomain;
  readonly sid: string;
  readonly name: string;
  readonly kind: 'person' | 'service' | 'administrator';
  readonly department: string;
  readonly days: Span;
  readonly isEnabled: (day: number) => boolean;
  readonly hasSpn: boolean;
  readonly needsNoPreauth: (day: number) => boolean;
}

export const departments = ['Finance', 'Sales', 'Engineering', 'Human Resources', 'Operations'] as const;

const givenNames = [
  ...['Anna', 'Bruno', 'Clara', 'David', 'Elena', 'Farid'],
  ...['Greta', 'Hugo', 'Ida', 'Jakub', 'Karin', 'Luis'],
];
const surnames = {
  [corp.name]: ['Adler', 'Berg', 'Costa', 'Duval', 'Eriksen', 'Fontana', 'Grant', 'Horvat'],
  [plant.name]: ['Ivanov', 'Jansen', 'Kowal', 'Lind', 'Marino'],
};

function account(domain: DemoDomain, rid: number, name: string, more: Partial<Account> = {}): Account {
  return {
    domain,
    sid: `${domain.sid}-${rid}`,
    name,
    kind: 'person',
    department: 'IT',
    days: since(0),
    isEnabled: () => true,
    hasSpn: false,
    needsNoPreauth: () => false,
    ...more,
  };
}

/** Somebody starts or leaves every week or so. */
function daysOf(number: number, count: number): Span {
  if (number >= count - 10) return since(6 + 8 * (number - (count - 10)));
  return number % 13 === 12 ? before(10 + number) : since(0);
}

function staff(domain: DemoDomain): Account[] {
  const families = surnames[domain.name] ?? [];
  const count = families.length * givenNames.length;
  return families.flatMap((surname, family) =>
    givenNames.map((given, index) => {
      const number = family * givenNames.length + index;
      return account(domain, 1100 + number, `${given}.${surname}`.toLowerCase(), {
        department: departments[chance('department', domain.name, number) % departments.length] ?? '',
        days: daysOf(number, count),
      });
    }),
  );
}

const service = { kind: 'service', department: 'Service accounts' } as const;
const administrator = { kind: 'administrator', department: 'Administrators' } as const;

const people: Readonly<Record<string, readonly Account[]>> = {
  [corp.name]: staff(corp),
  [plant.name]: staff(plant),
};

export const builtInAdministrator = (domain: DemoDomain) =>
  account(domain, 500, 'administrator', administrator);
const krbtgt = (domain: DemoDomain) =>
  account(domain, 502, 'krbtgt', { ...service, isEnabled: () => false, hasSpn: true });

export const mira = account(corp, 1501, 'adm-mira.olsen', administrator);
export const jonas = account(corp, 1502, 'adm-jonas.weber', administrator);
export const diego = account(corp, 1503, 'adm-diego.ramos', {
  ...administrator,
  isEnabled: (day) => isOn(story.firstAdministrator, day),
});
export const petra = account(corp, 1504, 'adm-petra.novak', {
  ...administrator,
  days: story.newAdministrator,
});
export const plantAdministrator = account(plant, 1501, 'adm-tom.bakker', administrator);

export const services = {
  sql: account(corp, 1520, 'svc-sql', { ...service, hasSpn: true }),
  backup: account(corp, 1521, 'svc-backup', service),
  legacy: account(corp, 1522, 'svc-legacy', {
    ...service,
    needsNoPreauth: (day) => isOn(story.legacyAccount, day),
  }),
  print: account(corp, 1523, 'svc-print', {
    ...service,
    hasSpn: true,
    isEnabled: (day) => isOn(story.printAccount, day),
  }),
  deploy: account(corp, 1524, 'svc-deploy', service),
  sync: account(corp, 1525, 'svc-sync', service),
  collector: account(corp, 1526, 'svc-collector', service),
  historian: account(plant, 1520, 'svc-historian', { ...service, hasSpn: true }),
} as const;

export const asUser = ({ sid }: Account) => principal(sid, 'User');

export function accountsOf(domain: DemoDomain, day: number): Account[] {
  const all = [
    builtInAdministrator(domain),
    krbtgt(domain),
    ...(people[domain.name] ?? []),
    ...[mira, jonas, diego, petra, plantAdministrator],
    ...Object.values(services),
  ];
  return all.filter((one) => one.domain === domain && isOn(one.days, day));
}

export const peopleOf = (domain: DemoDomain, day: number) =>
  accountsOf(domain, day).filter(({ kind }) => kind === 'person');

/** People of a department, the ones who have been there longest first. */
export const departmentOf = (domain: DemoDomain, day: number, name: string) =>
  peopleOf(domain, day).filter(({ department }) => department === name);

export const domainUsers = (domain: DemoDomain) => principal(wellKnown(domain, 513), 'Group');
