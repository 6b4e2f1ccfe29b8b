import type { Reader } from '../../db/client.ts';
import { AppError, type Problem } from '../../errors.ts';
import { quoted } from '../../http/parameters.ts';
import { hasHiddenCharacters } from '../../values/text.ts';
import type { UpdateUser } from './requests.ts';
import { listRoles, type UserDetails, type UserRow } from './store.ts';

export function detailsOf(row: UserRow): UserDetails {
  return {
    principalName: row.principal_name,
    firstName: row.first_name,
    lastName: row.last_name,
    emailAddress: row.email_address,
    roleId: row.role_id,
    ssoProviderId: row.sso_provider_id,
    isDisabled: row.is_disabled !== 0,
  };
}

/** What an audit record says of a user, by the names of the API. */
export function recordedDetails(details: UserDetails, roleNames: ReadonlyMap<number, string>) {
  return {
    principal_name: details.principalName,
    first_name: details.firstName,
    last_name: details.lastName,
    email_address: details.emailAddress,
    role: roleNames.get(details.roleId) ?? details.roleId,
    sso_provider_id: details.ssoProviderId,
    is_disabled: details.isDisabled,
  };
}

export async function readRoleNames(db: Reader): Promise<ReadonlyMap<number, string>> {
  return new Map((await listRoles(db)).map(({ id, name }) => [id, name]));
}

/** The wished details on top of the present ones; every wish that can't be met is a problem. */
export async function applyWishes(
  db: Reader,
  present: UserDetails,
  wishes: UpdateUser,
  roleNames: ReadonlyMap<number, string>,
  known: readonly Problem[] = [],
): Promise<UserDetails> {
  const problems: Problem[] = [...known];
  const reject = (context: string, message: string) => problems.push({ context, message });
  const principalName = wishes.principal?.trim() ?? present.principalName;
  if (principalName === '') reject('principal', 'principal must not be blank');
  if (hasHiddenCharacters(principalName))
    reject(
      'principal',
      `principal must not have control or invisible characters, but is ${quoted(principalName)}`,
    );
  const emailAddress = textOr(present.emailAddress, wishes.email_address);
  if (emailAddress !== null && (!/^[^\s@]+@[^\s@]+$/.test(emailAddress) || hasHiddenCharacters(emailAddress)))
    reject('email_address', `email_address must be an e-mail address, but is ${quoted(emailAddress)}`);
  const roleId = wishes.roles?.[0] ?? present.roleId;
  if (!roleNames.has(roleId)) {
    const known = [...roleNames].map(([id, name]) => `${id} (${name})`).join(', ');
    reject('roles', `there is no role ${roleId}: choose one of ${known}`);
  }
  const ssoProviderId = await wishedProvider(db, present.ssoProviderId, wishes, reject);
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
  return {
    principalName,
    firstName: textOr(present.firstName, wishes.first_name),
    lastName: textOr(present.lastName, wishes.last_name),
    emailAddress,
    roleId,
    ssoProviderId,
    isDisabled: wishes.is_disabled ?? present.isDisabled,
  };
}

/** Blank text means unset. */
function textOr(present: string | null, wished: string | null | undefined): string | null {
  if (wished === undefined) return present;
  return wished?.trim() || null;
}

async function wishedProvider(
  db: Reader,
  present: number | null,
  wishes: UpdateUser,
  reject: (context: string, message: string) => void,
): Promise<number | null> {
  const bySaml = wishes.saml_provider_id;
  if (bySaml === undefined && wishes.sso_provider_id === undefined) return present;
  if (wishes.sso_provider_id != null) {
    const found = await db.one('select id from sso_providers where id = $1', [wishes.sso_provider_id]);
    if (found === undefined) reject('sso_provider_id', `there is no SSO provider ${wishes.sso_provider_id}`);
    return wishes.sso_provider_id;
  }
  // Existing clients send an empty text where there is none.
  if (bySaml == null || bySaml === '') return null;
  const saml = /^[0-9]{1,15}$/.test(bySaml)
    ? await db.one<{ sso_provider_id: number }>('select sso_provider_id from saml_providers where id = $1', [
        Number(bySaml),
      ])
    : undefined;
  if (saml === undefined) reject('saml_provider_id', `there is no SAML provider ${quoted(bySaml)}`);
  return saml?.sso_provider_id ?? null;
}
