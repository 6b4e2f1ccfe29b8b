import { randomBytes, randomInt } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { Deadline } from '../../deadline.ts';
import { inTurn } from './turns.ts';

/** Argon2id (the library's default) at OWASP's first choice: 19 MiB, two passes, about 40 ms. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const maxLength = 1024;

export function digestOf(password: string, deadline?: Deadline): Promise<string> {
  return inTurn(deadline, () => hash(password, cost));
}

let decoy: Promise<string> | undefined;

/**
 * Checks a password; without a digest (no such user) it does the same work and says no. To be called `inTurn`,
 * because it costs what a hash costs.
 */
export async function passwordMatches(digest: string | undefined, password: string): Promise<boolean> {
  decoy ??= hash(randomBytes(16).toString('hex'), cost);
  const matches = await verify(digest ?? (await decoy), password);
  return matches && digest !== undefined;
}

/** What is wrong with a new password; nothing if it will do. */
export function passwordProblems(password: string): string[] {
  const rules: [boolean, string][] = [
    [[...password].length >= 12, 'at least 12 characters'],
    [password.length <= maxLength, `at most ${maxLength} characters`],
    [/\p{Ll}/u.test(password), 'a lower-case letter'],
    [/\p{Lu}/u.test(password), 'an upper-case letter'],
    [/\p{Nd}/u.test(password), 'a digit'],
    [/[\p{P}\p{S}]/u.test(password), 'a punctuation mark or symbol'],
    [!/\p{Cc}/u.test(password), 'no control characters'],
  ];
  return rules.filter(([met]) => !met).map(([, rule]) => rule);
}

/** A password that meets the rule and can be read off a screen: no look-alike characters. */
export function randomPassword(): string {
  const groups = ['abcdefghjkmnpqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789', '-+=:.'];
  const pick = (alphabet: string) => alphabet.charAt(randomInt(alphabet.length));
  const characters = [
    ...groups.map(pick),
    ...Array.from({ length: 20 }, () => pick(groups.slice(0, 3).join(''))),
  ];
  for (let i = characters.length - 1; i > 0; i -= 1) {
    const j = randomInt(i + 1);
    [characters[i], characters[j]] = [characters[j] as string, characters[i] as string];
  }
  return characters.join('');
}
