import { defaultWaitSeconds } from '../deadline.ts';
import { AppError } from '../errors.ts';

/** gap 1.5: the whole header must match the contract's pattern. */
const pattern = /^wait=(-1|[0-9]+)$/;

export interface Preference {
  /** `undefined`: no limit. */
  readonly waitSeconds: number | undefined;
  /** Told back to a caller that sent the header. */
  readonly applied: string | undefined;
}

const noPreference: Preference = { waitSeconds: defaultWaitSeconds, applied: undefined };

/** `mayBypass` says whether the timeout limits are switched off; it is asked only for `wait=-1`. */
export async function readPrefer(
  header: string | undefined,
  maxWaitSeconds: number,
  mayBypass: () => Promise<boolean>,
): Promise<Preference> {
  if (header === undefined) {
    return maxWaitSeconds >= defaultWaitSeconds
      ? noPreference
      : { waitSeconds: maxWaitSeconds, applied: undefined };
  }
  const match = pattern.exec(header);
  if (match === null) {
    throw new AppError('bad_request', 'the Prefer header must be wait=N with N whole seconds, or wait=-1', {
      context: 'Prefer',
    });
  }
  const asked = Number(match[1]);
  if (asked === -1) {
    if (await mayBypass()) return { waitSeconds: undefined, applied: 'wait=-1' };
    throw new AppError('bad_request', 'the timeout bypass is not enabled', { context: 'Prefer' });
  }
  const waitSeconds = Math.min(asked === 0 ? defaultWaitSeconds : asked, maxWaitSeconds);
  return { waitSeconds, applied: `wait=${waitSeconds}` };
}
