import type { Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import type { Upload } from '../../http/operation.ts';
import { Body } from './body.ts';
import { ContentCheck, type ContentKind } from './content.ts';
import { createSpool } from './create-spool.ts';
import { readEncoding } from './encoding.ts';
import { Limits } from './limits.ts';
import { Places, type Sender } from './places.ts';
import { Quota, type Share } from './quota.ts';
import type { Received } from './spool.ts';
import { Unverified } from './unverified.ts';

/** One body that somebody sends. */
export interface Sending {
  readonly sender: Sender;
  readonly upload: Upload;
  /** Before anything is received: throws if it is not wanted, and tells what it must be. */
  prepare(): Promise<ContentKind>;
  /** In the transaction that makes the bytes count; false when they are there already. */
  keep(db: Transaction, received: Received, now: number): Promise<boolean>;
}

export type Intake = (sending: Sending) => Promise<void>;

/** Takes bodies into the spool. Resolves once one is durable and counts; otherwise nothing has changed. */
export function createIntake(deps: Deps): Intake {
  // gap 1.5: not the request's own handle, whose time would run while the body arrives.
  const { db, clock, settings, log } = deps;
  const spool = createSpool(deps);
  const limits = {
    collector: new Limits(settings.ingestMaxMb, 'KENNEL_INGEST_MAX_MB'),
    user: new Limits(settings.uploadMaxMb, 'KENNEL_UPLOAD_MAX_MB'),
  };
  const places = new Places(settings.bodyPlaces);
  const quota = new Quota(settings.spoolQuotaMb, clock);
  const unverified = new Unverified(settings.unverifiedMaxMb);

  async function receive(
    { sender, upload, prepare }: Sending,
    share: Pick<Share, 'take'>,
  ): Promise<Received> {
    const body = new Body(upload, limits[sender.kind]);
    try {
      const encoding = readEncoding(upload.contentEncoding);
      const content = new ContentCheck(encoding, limits[sender.kind], await prepare());
      const written = await spool.write(body.checked(content, share));
      return {
        written,
        sha256: body.sha256(),
        encoding: content.keepsUnpacked ? 'identity' : encoding,
        unpackedBytes: content.unpackedBytes,
      };
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

  async function giveUp(id: string): Promise<void> {
    try {
      await spool.giveUp(id);
    } catch (error) {
      log.warn({ err: error, spool_id: id }, 'what was received in vain could not be removed: a sweep will');
    }
  }

  return async (sending) => {
    const { sender, upload, keep } = sending;
    limits[sender.kind].checkPacked(upload.length ?? 0);
    const leave = places.enter(sender);
    try {
      const bound = unverified.open(sender, upload.length ?? 0);
      const share = await quota.open(db, sender, upload.length ?? 0);
      const take = (bytes: number) => {
        bound.take(bytes);
        share.take(bytes);
      };
      try {
        const received = await receive(sending, { take });
        let isKept = false;
        try {
          await upload.confirm();
          isKept = await db.transaction(async (db) => {
            await spool.hold(db, received.written);
            return keep(db, received, clock());
          });
          if (isKept) share.keep();
        } finally {
          if (!isKept) await giveUp(received.written.id);
        }
      } finally {
        share.release();
        bound.release();
      }
    } finally {
      leave();
    }
  };
}
