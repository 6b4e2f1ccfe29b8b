import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { Upload } from '../../http/operation.ts';
import { findClient, recordCheckin } from '../clients/index.ts';
import { findRunningJobOf, type JobRow, lockJobOfCollector, recordIngest } from '../jobs/index.ts';
import { Places, Quota, type Share } from './admission.ts';
import { Body } from './body.ts';
import { ContentCheck } from './content.ts';
import { type Encoding, readEncoding } from './encoding.ts';
import { Limits } from './limits.ts';
import { createSpool, type Written } from './spool.ts';
import { insertIngestFile } from './store.ts';

/** A collector in constant work would otherwise cost this write for every body. */
const checkinEveryMs = 10_000;

interface Received {
  readonly jobId: number;
  readonly written: Written;
  readonly sha256: string;
  readonly encoding: Encoding;
  readonly unpackedBytes: number;
}

/** Keeps what a collector sends for its running job, or changes nothing at all. */
export function createReceiver(deps: Deps): (clientId: string, upload: Upload) => Promise<void> {
  // gap 1.5: not the request's own handle, whose time would run while the body arrives.
  const { db, clock, settings, log } = deps;
  const spool = createSpool(deps);
  const limits = new Limits(settings);
  const places = new Places();
  const quota = new Quota(settings.spoolQuotaMb, clock);

  async function receive(clientId: string, upload: Upload, share: Share): Promise<Received> {
    const body = new Body(upload, limits);
    try {
      const encoding = readEncoding(upload.contentEncoding);
      const { id: jobId } = await findJobOf(clientId);
      const content = new ContentCheck(encoding, limits);
      const written = await spool.write(body.checked(content, share));
      return { jobId, written, sha256: body.sha256(), encoding, unpackedBytes: content.unpackedBytes };
    } catch (error) {
      if (!body.isCut) {
        // gap 1.3: a wrong signature comes before anything else that is wrong, and covers the whole body.
        await body.skip();
        await upload.confirm();
      }
      throw error;
    } finally {
      await body.leave();
    }
  }

  /** A cheap look before anything is received; `keep` asks again. */
  async function findJobOf(clientId: string): Promise<JobRow> {
    const running = await findRunningJobOf(db, clientId);
    return running ?? db.transaction((db) => lockJobOfCollector(db, clientId));
  }

  /** False when it is there already. */
  function keep(clientId: string, upload: Upload, received: Received): Promise<boolean> {
    const { written, ...facts } = received;
    return db.transaction(async (db) => {
      const now = clock();
      await spool.hold(db, written);
      const job = await lockJobOfCollector(db, clientId);
      if (job.id !== facts.jobId)
        throw new AppError('conflict', `job ${facts.jobId} ended while its data arrived`);
      const file = { ...facts, clientId, contentType: upload.contentType };
      const isNew = await insertIngestFile(db, { ...file, bytes: written.bytes, spoolId: written.id }, now);
      if (isNew) await recordIngest(db, job.id, now);
      const client = await findClient(db, clientId);
      if (client !== undefined && now - (client.last_checkin ?? 0) >= checkinEveryMs)
        await recordCheckin(db, clientId, now);
      return isNew;
    });
  }

  async function giveUp(id: string): Promise<void> {
    try {
      await spool.giveUp(id);
    } catch (error) {
      log.warn({ err: error, spool_id: id }, 'what was received in vain could not be removed: a sweep will');
    }
  }

  return async (clientId, upload) => {
    limits.checkPacked(upload.length ?? 0);
    const leave = places.enter(clientId);
    try {
      const share = await quota.open(db, upload.length ?? 0);
      try {
        const received = await receive(clientId, upload, share);
        let isKept = false;
        try {
          await upload.confirm();
          isKept = await keep(clientId, upload, received);
          if (isKept) share.keep();
        } finally {
          if (!isKept) await giveUp(received.written.id);
        }
      } finally {
        share.release();
      }
    } finally {
      leave();
    }
  };
}
