import type { Rule } from './rule.ts';

// Either kind of URL may carry a password, even where it is not allowed to. So these rules say which part is
// wrong and never repeat the value.

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A list of hosts (`host1:5432,host2:5432`) is common for PostgreSQL but not a URL in the sense of URL(). */
function withFirstHostOnly(text: string): string {
  return text.replace(/^(\w+:\/\/(?:[^/?#]*@)?[^@,/?#]*),[^@/?#]*(?=[/?#]|$)/, '$1');
}

function whatIsWrongWithDatabaseUrl(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text)) return 'does not begin with postgres:// or postgresql://';
  if (/\s/.test(text)) return 'contains white space';
  // A raw / ? or # in the password ends the host part early and leaves the @ behind it.
  if (/^\w+:\/\/[^/?#]*[/?#].*@/.test(text)) return 'has an @ after the host part';
  const url = parseUrl(withFirstHostOnly(text));
  if (url === undefined) return 'is not a well-formed URL';
  if (url.hostname === '') return 'names no host';
  if (!isDecodable(url.username) || !isDecodable(url.password)) return 'has a stray % in its user part';
  return undefined;
}

export const databaseUrl: Rule<string> = {
  expects:
    'postgres://user:password@host:5432/database with / ? # @ and % in the user part written percent-encoded',
  parse: (text) => {
    const wrong = whatIsWrongWithDatabaseUrl(text);
    return wrong === undefined ? { value: text } : { wrong };
  },
};

/** Expects a text that the databaseUrl rule accepted. */
export function hidePasswords(acceptedUrl: string): string {
  return acceptedUrl
    .replace(/^(\w+:\/\/[^:@/?#]*):[^/?#]*@/, '$1:(hidden)@')
    .replace(/([?&][^=&]*pass[^=&]*=)[^&]*/gi, '$1(hidden)');
}

function whatIsWrongWithPublicUrl(text: string): string | undefined {
  // URL() skips further slashes, behind which credentials would go unnoticed.
  if (!/^https?:\/\/[^/]/i.test(text)) return 'does not begin with http:// or https:// and a host';
  if (/[\s\\]/.test(text)) return 'contains white space or a backslash';
  const url = parseUrl(text);
  if (url === undefined) return 'is not a well-formed URL';
  if (/^\w+:\/\/[^/?#]*@/.test(text)) return 'contains credentials';
  if (text.includes('?')) return 'contains a query';
  if (text.includes('#')) return 'contains a fragment';
  return undefined;
}

export const publicUrl: Rule<string> = {
  expects: 'an http or https URL without credentials, query or fragment, such as https://example.com/kennel',
  parse: (text) => {
    const wrong = whatIsWrongWithPublicUrl(text);
    if (wrong !== undefined) return { wrong };
    return { value: new URL(text).href.replace(/\/+$/, '') };
  },
};
