import type { Transaction } from '../../db/client.ts';
import { allowTokens, suspendTokens } from '../api-tokens/index.ts';

/**
 * gap 8.1: whoever has had an account in their hands may have made tokens, so a reset suspends them. Kept ones
 * that were suspended before are allowed again, by an administrator alone (gap 2.3). Tells what was done.
 */
export async function keepOrSuspendTokens(
  db: Transaction,
  userId: string,
  keep: boolean,
  { mayAllow }: { mayAllow: boolean },
): Promise<Record<string, number>> {
  if (!keep) return { tokens_suspended: await suspendTokens(db, userId) };
  return mayAllow ? { tokens_allowed: await allowTokens(db, userId) } : {};
}
