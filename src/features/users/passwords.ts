import type { Reader } from '../../db/client.ts';
import { AppError, type Problem } from '../../errors.ts';
import { parseIsoDuration } from '../../values/duration.ts';
import { readParameter } from '../app-config/index.ts';
import { passwordProblems } from '../auth/index.ts';

/** Every rule that a new password breaks, each as a problem of its own. */
export function passwordProblemsOf(context: string, password: string): Problem[] {
  return passwordProblems(password).map((rule) => ({ context, message: `${context} must have ${rule}` }));
}

export function refuseWeakPassword(context: string, password: string): void {
  const problems = passwordProblemsOf(context, password);
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
}

/** How long a new password lasts, in milliseconds. */
export async function secretLifetime(db: Reader): Promise<number> {
  return parseIsoDuration((await readParameter(db, 'auth.password_expiration_window')).duration) ?? 0;
}
