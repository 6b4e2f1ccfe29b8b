import type { Static } from 'typebox';
import type { Reader, Transaction } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { type Role, toRoleViews } from './schema.ts';
import { countAbleAdministrators, listRolePermissions, listRoles } from './store.ts';

/** Every role with its permissions, as the API shows them. */
export async function readRoleViews(db: Reader): Promise<ReadonlyMap<number, Static<typeof Role>>> {
  return toRoleViews(await listRoles(db), await listRolePermissions(db));
}

/** To be taken first by every change that could lock the last administrator out, so that two can't do it together. */
export function lockAdministrators(db: Transaction): Promise<void> {
  return db.lock('administrators');
}

/** gap 2.4: checked at the end of such a change, which is undone if it fails. */
export async function keepAnAdministrator(db: Transaction, change: string): Promise<void> {
  if ((await countAbleAdministrators(db)) > 0) return;
  throw new AppError('conflict', `${change} would leave no administrator able to sign in`);
}
