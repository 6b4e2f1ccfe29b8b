import Type from 'typebox';
import { AppError } from '../../errors.ts';
import type { Register } from '../../http/operation.ts';
import {
  DateTime,
  dateTime,
  NullableString,
  Struct,
  timestampMembers,
  timestamps,
  Uuid,
} from '../../http/schemas.ts';
import { findClient } from '../clients/registry/index.ts';
import { userExample } from './examples.ts';
import { toUserView, User } from './schema.ts';
import { readRoleViews } from './service.ts';
import { findUser } from './store.ts';

/** A collector sees itself without its schedules and jobs: those have operations of their own. */
const Client = Struct({
  id: Uuid,
  ...timestampMembers,
  name: Type.String(),
  type: Type.String(),
  ip_address: Type.String(),
  hostname: Type.String(),
  configured_user: Type.String(),
  user_sid: NullableString,
  version: Type.String(),
  domain_controller: NullableString,
  last_checkin: DateTime,
});

export function registerSelf(register: Register): void {
  register({
    id: 'GetSelf',
    method: 'GET',
    url: '/api/v2/self',
    tag: 'Auth',
    summary: 'Who is calling: a user, or the collector that a client token belongs to',
    access: 'signed-in',
    answer: Struct({ data: Type.Union([User, Client]) }),
    answerExample: { data: userExample },
    handle: async ({ db, caller }) => {
      if (caller.kind === 'client') {
        const client = await findClient(db, caller.id);
        if (client === undefined) throw gone();
        const { last_checkin, created_at, updated_at, ...plain } = client;
        return {
          data: {
            ...plain,
            ...timestamps({ created_at, updated_at }),
            last_checkin: dateTime(last_checkin),
          },
        };
      }
      return db.snapshot(async (db) => {
        const user = await findUser(db, caller.id);
        if (user === undefined) throw gone();
        return { data: toUserView(user, await readRoleViews(db)) };
      });
    },
  });
}

/** Deleted between the check of the token and this read. */
function gone(): AppError {
  return new AppError('unauthenticated', 'the caller does not exist any more', { context: 'Authorization' });
}
