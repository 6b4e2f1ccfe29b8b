import type { Rule } from '../../facts.ts';
import { syncedUsers } from './synced-users.ts';

export const syncedToEntraUser: Rule = (facts, add) => {
  for (const [person, user] of syncedUsers(facts)) add(person, user);
};
