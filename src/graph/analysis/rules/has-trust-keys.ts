import type { Estate } from '../estate.ts';
import type { Rule } from '../facts.ts';

/** A domain that trusts another knows the password of the account that this one keeps for it, under its short name. */
export const hasTrustKeys: Rule = ({ estate }, add) => {
  const accounts = trustAccounts(estate);
  for (const kind of ['SameForestTrust', 'CrossForestTrust']) {
    estate.edges(kind).each((trusting, trusted) => {
      const netbios = estate.property(trusting, 'netbios');
      if (typeof netbios !== 'string' || netbios === '') return;
      const key = accountKey(estate.objectId(trusted), `${netbios}$`);
      for (const account of accounts.get(key) ?? []) add(trusting, account);
    });
  }
};

/** Accounts that are named like one for a trust, by domain and name. */
function trustAccounts(estate: Estate): Map<string, number[]> {
  const accounts = new Map<string, number[]>();
  if (estate.edges('SameForestTrust').size + estate.edges('CrossForestTrust').size === 0) return accounts;
  for (const user of estate.nodesOf('User')) {
    const [name, domain] = [estate.property(user, 'samaccountname'), estate.environment(user)];
    if (typeof name !== 'string' || !name.endsWith('$') || domain === undefined) continue;
    const key = accountKey(domain, name);
    accounts.set(key, [...(accounts.get(key) ?? []), user]);
  }
  return accounts;
}

/** Names of accounts do not differ by case. */
function accountKey(domain: string, name: string): string {
  return `${domain} ${name.toUpperCase()}`;
}
