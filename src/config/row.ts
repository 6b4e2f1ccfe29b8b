import type { Rule } from './rule.ts';

/** What is true of one setting. */
export interface Row {
  readonly name: string;
  readonly description: string;
  readonly rule: Rule<unknown>;
  /** Used when the variable is unset; goes through the rule like any other text. */
  readonly fallback?: string;
  /** For a setting without a fallback: what being unset means. */
  readonly whenUnset?: string;
  /** A secret may also be given as `<name>_FILE`, and what it covers is never shown. */
  readonly secret?: 'whole value' | 'passwords in URL';
}
