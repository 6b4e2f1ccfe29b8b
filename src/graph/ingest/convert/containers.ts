import { stateGpoChanges, stateLinks } from './local-groups.ts';
import { type AdObject, objectConverter, stateTargets } from './object.ts';
import { type MutableProperties, propertyList } from './properties.ts';
import { Field, Method } from './statements.ts';
import { stateTrusts } from './trusts.ts';

const containerNames = ['ChildObjects', 'InheritanceHashes'] as const;

export const convertContainer = objectConverter({ type: 'Container', names: containerNames }, stateContent);

export const convertOu = objectConverter(
  { type: 'OU', names: [...containerNames, 'Links', 'GPOChanges'] },
  (ou) => {
    stateContent(ou);
    stateLinks(ou);
    stateGpoChanges(ou);
  },
);

export const convertDomain = objectConverter(
  { type: 'Domain', names: [...containerNames, 'Links', 'GPOChanges', 'Trusts'], isContained: false },
  (domain) => {
    convertPolicy(domain);
    stateContent(domain);
    stateLinks(domain);
    stateGpoChanges(domain);
    stateTrusts(domain);
  },
);

function stateContent(container: AdObject<(typeof containerNames)[number]>): void {
  const { draft, id, members, properties } = container;
  stateTargets(container, members.ChildObjects, {
    kind: 'Contains',
    path: 'ChildObjects',
    field: Field.ChildObjects,
  });
  if (Array.isArray(members.ChildObjects)) draft.whole(id, Field.ChildObjects, Method.Container);
  const hashes = members.InheritanceHashes;
  if (!Array.isArray(hashes) || hashes.length === 0) return;
  const stored = propertyList(draft, hashes, 'InheritanceHashes');
  if (stored !== undefined) properties.inheritancehashes = stored;
}

const policyNumbers = [
  'machineaccountquota',
  'minpwdlength',
  'pwdproperties',
  'pwdhistorylength',
  'lockoutthreshold',
] as const;
const smartcardExpiry = 'expirepasswordsonsmartcardonlyaccounts';

/** Some collectors write these as texts. */
function convertPolicy({ draft, properties }: AdObject): void {
  for (const key of policyNumbers) replace(key, integer(properties[key]), 'a whole number');
  replace(smartcardExpiry, truth(properties[smartcardExpiry]), 'true or false');

  function replace(key: string, value: number | boolean | undefined, wanted: string): void {
    if (properties[key] === undefined || properties[key] === null) return;
    if (value !== undefined) properties[key] = value;
    else {
      delete properties[key];
      draft.warn(`Properties.${key}`, `must be ${wanted}`);
    }
  }
}

function integer(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : undefined;
}

function truth(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}

const gpoStates: ReadonlyMap<string, string> = new Map([
  ['0', 'Enabled'],
  ['1', 'User Configuration Disabled'],
  ['2', 'Computer Configuration Disabled'],
  ['3', 'Disabled'],
]);

export const convertGpo = objectConverter({ type: 'GPO', isContained: false }, ({ draft, properties }) => {
  stateGpoStatus(properties, (reason) => draft.warn('Properties.gpostatus', reason));
});

function stateGpoStatus(properties: MutableProperties, warn: (reason: string) => void): void {
  const status = properties.gpostatus;
  if (status === undefined || status === null) return;
  const raw = String(status).trim();
  properties.gpostatusraw = raw;
  const text = gpoStates.get(raw);
  if (text !== undefined) properties.gpostatus = text;
  else {
    delete properties.gpostatus;
    warn('must be 0, 1, 2 or 3');
  }
}
