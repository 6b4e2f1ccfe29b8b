import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Upload } from '../../http/operation.ts';
import { findClient, recordCheckin } from '../clients/registry/index.ts';
import { findRunningJobOf, type JobRow, lockJobOfCollector, noteSign, recordIngest } from '../jobs/index.ts';
import type { Intake } from './intake.ts';
import { insertIngestFile } from './store.ts';

/** A collector in constant work would otherwise cost this write for every body. */
const checkinEveryMs = 10_000;

/** Keeps what a collector sends for its running job, or changes nothing at all. */
export function createReceiver(
  deps: Deps,
  intake: Intake,
): (clientId: string, address: string, upload: Upload) => Promise<void> {
  const { db } = deps;
  /** A cheap look before anything is received; `keep` asks again. */
  async function findJobOf(clientId: string): Promise<JobRow> {
    const running = await findRunningJobOf(db, clientId);
    return running ?? db.transaction((db) => lockJobOfCollector(db, clientId));
  }

  return async (clientId, address, upload) => {
    let jobId = 0;
    await intake({
      sender: { id: clientId, address, kind: 'collector', standing: upload.standing },
      upload,
      prepare: async () => {
        jobId = (await findJobOf(clientId)).id;
        // A body may take long to arrive.
        await noteSign(deps, db, clientId);
        return 'json';
      },
      keep: async (db, received, now) => {
        const job = await lockJobOfCollector(db, clientId);
        if (job.id !== jobId) throw new AppError('conflict', `job ${jobId} ended while its data arrived`);
        const { contentType } = upload;
        const file = { jobId, clientId, name: '', contentType, state: 'waiting', received } as const;
        const isNew = (await insertIngestFile(db, file, now)) !== undefined;
        if (isNew) await recordIngest(db, job.id, now);
        const client = await findClient(db, clientId);
        if (client !== undefined && now - (client.last_checkin ?? 0) >= checkinEveryMs)
          await recordCheckin(db, clientId, now);
        return isNew;
      },
    });
  };
}
