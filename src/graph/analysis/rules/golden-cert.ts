import type { Rule } from '../facts.ts';

/** From the computer that holds a CA's private key to the domains where its certificates let one log on. */
export const goldenCert: Rule = ({ certificates }, add) => {
  for (const { hosts, domains } of certificates.workingAuthorities)
    for (const host of hosts) for (const domain of domains) add(host, domain);
};
