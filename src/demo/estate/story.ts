/** What happens at the company in the days that the demonstration looks back on. Day 0 is the first of them. */
export const historyDays = 90;

/** From one day on, and until another one, on which it is over. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export const isOn = ({ from, until }: Span, day: number) => from <= day && day < until;

const always = Number.POSITIVE_INFINITY;
export const since = (from: number): Span => ({ from, until: always });
export const before = (until: number): Span => ({ from: 0, until });

export const story = {
  /** Engineering could log on to the jump host, where administrators work. */
  openJumpHost: before(14),
  /** An administrator left the company; another one came. */
  firstAdministrator: before(12),
  newAdministrator: since(30),
  /** Everybody was a local administrator of the print server. */
  openPrintServer: before(26),
  /** For a project, the template of the VPN let everybody choose the name in the certificate. */
  misconfiguredTemplate: { from: 20, until: 36 },
  /** Nobody had marked the accounts of administrators as ones that can't be delegated. */
  delegableAdministrators: before(58),
  /** Another authority, with a host of its own. */
  newAuthority: since(44),
  /** The account that synchronizes identities was given a right on the whole domain, to get it going. */
  riskyRight: { from: 52, until: 60 },
  /** An administrator helped somebody at his desk, and stayed logged on. */
  carelessSession: { from: 62, until: 70 },
  /** Everybody in the plant was a local administrator of one of its stations. */
  openStation: before(66),
  /** The account of an old application needed no preauthentication. */
  legacyAccount: before(64),
  printAccount: before(32),
  /** Somebody of the partner works in the plant. */
  contractor: since(40),
  /** Helpdesk became ever larger, until somebody asked who needs it. */
  helpdeskReview: 78,
  /** The secret of the payroll application was in the hands of a developer. */
  ownedApplication: { from: 28, until: 48 },
} as const;

/** How many people are in the helpdesk. */
export function helpdeskSize(day: number): number {
  return day >= story.helpdeskReview ? 5 : 4 + Math.floor(day / 6);
}

/** The share of computers that let the collector in, in percent: firewalls were opened site by site. */
export function reachedPercent(day: number): number {
  return Math.min(96, 52 + Math.floor(day / 2));
}
