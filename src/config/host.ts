import { BlockList, isIP, isIPv6 } from 'node:net';
import { quoteAsWrong, type Rule } from './rule.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function withoutBrackets(host: string): string {
  const inner = /^\[(.+)\]$/.exec(host)?.[1];
  return inner !== undefined && isIPv6(inner) ? inner : host;
}

export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const address = withoutBrackets(host);
  return isIP(address) !== 0 && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;
const longestHostName = 253;

function isHostName(text: string): boolean {
  const labels = text.split('.');
  // A name ending in a number would be read as an (ill-formed) IPv4 address by resolvers.
  const looksLikeAddress = /^[0-9]+$/.test(labels.at(-1) ?? '');
  return text.length <= longestHostName && !looksLikeAddress && labels.every((part) => label.test(part));
}

export const hostName: Rule<string> = {
  expects: 'a host name or an IP address, such as 127.0.0.1 or 0.0.0.0',
  parse: (text) => {
    const host = withoutBrackets(text);
    return isIP(host) !== 0 || isHostName(host) ? { value: host } : quoteAsWrong(text);
  },
};
