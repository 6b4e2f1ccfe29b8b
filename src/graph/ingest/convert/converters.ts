import { quoteShort } from '../../../values/text.ts';
import { convertGroup, convertUser } from './accounts.ts';
import { convertAzureItem } from './azure.ts';
import {
  convertAiaCa,
  convertCertTemplate,
  convertIssuancePolicy,
  convertNtAuthStore,
  convertRootCa,
} from './certificates.ts';
import { convertComputer } from './computers.ts';
import { convertContainer, convertDomain, convertGpo, convertOu } from './containers.ts';
import { convertEnterpriseCa } from './enterprise-cas.ts';
import { convertSession } from './sessions.ts';
import type { Converter } from './statements.ts';

/** By `meta.type` of the file. */
export const convertersByType: ReadonlyMap<string, Converter> = new Map([
  ['sessions', convertSession],
  ['users', convertUser],
  ['groups', convertGroup],
  ['computers', convertComputer],
  ['gpos', convertGpo],
  ['ous', convertOu],
  ['domains', convertDomain],
  ['containers', convertContainer],
  ['aiacas', convertAiaCa],
  ['rootcas', convertRootCa],
  ['enterprisecas', convertEnterpriseCa],
  ['ntauthstores', convertNtAuthStore],
  ['certtemplates', convertCertTemplate],
  ['issuancepolicies', convertIssuancePolicy],
  ['azure', convertAzureItem],
]);

/** Types that collectors can name and that nothing is read from. */
const unreadTypes: ReadonlySet<unknown> = new Set(['deleted', 'localgroups']);

/** The converter for a file's records, or why there is none. */
export function findConverter(type: unknown): Converter | { readonly reason: string } {
  const converter = typeof type === 'string' ? convertersByType.get(type) : undefined;
  if (converter !== undefined) return converter;
  if (unreadTypes.has(type)) return { reason: `files of type ${type} are not read` };
  if (type === 'opengraph')
    return { reason: 'OpenGraph data belongs into the member "graph", without "meta"' };
  const types = [...convertersByType.keys()].join(', ');
  const given = typeof type === 'string' ? `is ${quoteShort(type)}` : 'is missing or not a text';
  return { reason: `the type of the file ${given}; it must be one of ${types}` };
}
