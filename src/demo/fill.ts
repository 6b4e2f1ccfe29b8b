import type { Transaction } from '../db/client.ts';
import type { Deps } from '../deps.ts';
import { roles } from '../features/auth/index.ts';
import { insertClient } from '../features/clients/registry/index.ts';
import { insertCustomNode } from '../features/custom-nodes/index.ts';
import { insertSamlProvider } from '../features/saml/index.ts';
import { insertUser } from '../features/users/index.ts';
import { day, hour } from '../values/time.ts';
import { collectors, customKinds, expendableProvider, people, providers } from './company.ts';
import { guid } from './estate/domain.ts';
import { collectionTimes, type DemoProgress, relive } from './history.ts';
import { fillJobs } from './jobs.ts';

/** What the printed commands need to know of the estate. */
export interface FilledEstate {
  readonly expendableProviderId: number;
  readonly readyTaskId: number;
  readonly collectorIds: Readonly<Record<string, string>>;
}

/** Fills an empty store with the demonstration, through the same code that everything else uses. */
export async function fillEstate(
  deps: Deps,
  tell: (progress: DemoProgress) => void = () => {},
): Promise<FilledEstate> {
  const now = deps.clock();
  await relive(deps, collectionTimes(now), tell);
  return deps.db.transaction(async (db) => {
    const providerIds = await fillPeople(db, now);
    for (const [kind, icon] of Object.entries(customKinds))
      await insertCustomNode(db, kind, icon, now - 60 * day);
    const collectorIds: Record<string, string> = {};
    for (const collector of collectors) {
      collectorIds[collector.name] = await insertClient(
        db,
        {
          ...collector,
          id: guid(collector.name).toLowerCase(),
          ip_address: '10.20.0.15',
          configured_user: 'svc-collector',
          last_checkin: now,
        },
        now - 89 * day,
      );
    }
    const readyTaskId = await fillJobs(db, collectorIds, now);
    return { expendableProviderId: providerIds.get(expendableProvider) ?? 0, readyTaskId, collectorIds };
  });
}

async function fillPeople(db: Transaction, now: number): Promise<Map<string, number>> {
  const samlIds = new Map<string, number>();
  const ssoIds = new Map<string, number>();
  for (const provider of providers) {
    const { id, ssoProviderId } = await insertSamlProvider(db, provider, now - 80 * day);
    samlIds.set(provider.name, id);
    ssoIds.set(provider.name, ssoProviderId);
  }
  for (const [index, person] of people.entries()) {
    const role = roles.find(({ name }) => name === person.role);
    await insertUser(
      db,
      {
        id: guid(person.name).toLowerCase(),
        principalName: person.name,
        firstName: person.first,
        lastName: person.last,
        emailAddress: `${person.name}@corp.example`,
        roleId: role?.id ?? 0,
        ssoProviderId: person.provider === undefined ? null : (ssoIds.get(person.provider) ?? null),
        isDisabled: person.disabled === true,
        lastLogin: now - (index + 1) * 7 * hour,
      },
      now - 70 * day,
    );
  }
  return samlIds;
}
