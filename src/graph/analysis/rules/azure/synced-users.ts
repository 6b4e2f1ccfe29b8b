import type { Facts } from '../../facts.ts';

/** People of the directory, each with what he is in the cloud; somebody may be several there. */
export function* syncedUsers({ estate, tenants }: Facts): Iterable<readonly [person: number, user: number]> {
  for (const { users } of tenants) {
    for (const user of users) {
      const id = estate.property(user, 'onpremid');
      if (estate.property(user, 'onpremsyncenabled') !== true || typeof id !== 'string') continue;
      const person = estate.find(id.toUpperCase());
      if (person !== undefined && estate.has(person, 'User')) yield [person, user];
    }
  }
}
