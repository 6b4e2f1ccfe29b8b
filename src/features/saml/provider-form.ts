import { AppError, type Problem } from '../../errors.ts';
import type { Form, FormFields } from '../../http/form.ts';
import { quoted } from '../../http/parameters.ts';
import type { Logger } from '../../log.ts';
import { roles } from '../auth/index.ts';
import { checkValidity, type Metadata, MetadataError, maxMetadataBytes, readMetadata } from './metadata.ts';
import { nameProblem, tidyName } from './names.ts';
import type { NewProvider, ProviderWish } from './provider.ts';
import type { AutoProvision } from './store.ts';

const enabledField = 'config.auto_provision.enabled';
const roleField = 'config.auto_provision.default_role_id';
const provisionField = 'config.auto_provision.role_provision';

/** What the fields alone can't say. */
export const providerRules = [
  '`metadata` is SAML 2.0 metadata of an identity provider, in force today',
  '`name` has letters or digits, and no control characters',
  'Where accounts are made at the first sign-in, their role is named',
] as const;

export function providerFields(required: boolean): FormFields {
  return {
    name: {
      description: 'What people see; in lower case, with - for spaces, it is part of addresses',
      required,
      maxBytes: 1024,
    },
    metadata: {
      description: "The identity provider's SAML 2.0 metadata, an XML file",
      required,
      file: true,
      maxBytes: maxMetadataBytes,
    },
    [enabledField]: {
      description: 'true or false: whether somebody unknown gets an account at their first sign-in',
      required: false,
      maxBytes: 20,
      keywords: { enum: ['true', 'false'] },
    },
    [roleField]: {
      description: 'The id of the role of such an account; needed where that is enabled',
      required: false,
      maxBytes: 20,
      keywords: { enum: roles.map(({ id }) => String(id)) },
    },
    [provisionField]: {
      description: 'true or false: whether the identity provider may say the role',
      required: false,
      maxBytes: 20,
      keywords: { enum: ['true', 'false'] },
    },
  };
}

/** Reads the form of a new provider, of which name and metadata are required. */
export function readNewProvider(form: Form, now: number, log: Logger): NewProvider {
  const wish = readProviderForm(form, now, log);
  const { name, metadata } = wish;
  if (name === undefined || metadata === undefined) throw new Error('the form was not checked');
  return { ...wish, name, metadata };
}

/** Reads whatever the form has; everything that is wrong with it is told at once. */
export function readProviderForm(form: Form, now: number, log: Logger): ProviderWish {
  const problems: Problem[] = [];
  const given = form.text('name');
  const name = given === undefined ? undefined : tidyName(given);
  const wrongName = name === undefined ? undefined : nameProblem(name);
  if (wrongName !== undefined) problems.push({ context: 'name', message: wrongName });
  const bytes = form.bytes('metadata');
  const metadata = bytes === undefined ? undefined : readUsable(bytes, now, problems, log);
  const autoProvision = readAutoProvision(form, problems);
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
  return { name, metadata, autoProvision };
}

function readUsable(bytes: Uint8Array, now: number, problems: Problem[], log: Logger): Metadata | undefined {
  const reject = (message: string) =>
    problems.push({ context: 'metadata', message: `metadata is refused: ${message}` });
  try {
    const metadata = readMetadata(bytes);
    const validity = checkValidity(metadata, now);
    for (const message of validity.problems) reject(message);
    for (const warning of validity.warnings)
      log.warn({ idp: metadata.entityId, warning }, 'a certificate in SAML metadata is not valid now');
    return metadata;
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error;
    for (const message of error.problems) reject(message);
    return undefined;
  }
}

function readAutoProvision(form: Form, problems: Problem[]): Partial<AutoProvision> {
  const enabled = readBoolean(form, enabledField, problems);
  const roleProvision = readBoolean(form, provisionField, problems);
  const roleText = form.text(roleField)?.trim();
  // A form without a choice of role sends one of these.
  const unset = roleText === '' || roleText === '0';
  const roleId = roleText === undefined ? undefined : unset ? null : wholeNumber(roleText);
  const problem = typeof roleId === 'number' ? roleProblem(roleId, quoted(roleText ?? '')) : undefined;
  if (problem !== undefined) problems.push({ context: roleField, message: `${roleField} ${problem}` });
  return {
    ...(enabled === undefined ? {} : { enabled }),
    ...(roleId === undefined ? {} : { defaultRoleId: roleId }),
    ...(roleProvision === undefined ? {} : { roleProvision }),
  };
}

function wholeNumber(text: string): number {
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

/** Completes the sentence "default_role_id …". */
export function roleProblem(id: number, shown: string): string | undefined {
  if (roles.some((role) => role.id === id)) return undefined;
  const known = roles.map((role) => `${role.id} (${role.name})`).join(', ');
  return `must be the id of a role: ${known}; but is ${shown}`;
}

function readBoolean(form: Form, field: string, problems: Problem[]): boolean | undefined {
  const text = form.text(field)?.trim();
  if (text === undefined || text === 'true' || text === 'false')
    return text === undefined ? undefined : text === 'true';
  problems.push({ context: field, message: `${field} must be true or false, but is ${quoted(text)}` });
  return undefined;
}
