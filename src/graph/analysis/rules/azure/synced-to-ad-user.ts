import type { Rule } from '../../facts.ts';
import { syncedUsers } from './synced-users.ts';

export const syncedToADUser: Rule = (facts, add) => {
  for (const [person, user] of syncedUsers(facts)) add(user, person);
};
