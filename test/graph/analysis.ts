import type { Deps } from '../../src/deps.ts';
import { analyseNext, OwnAnalyst } from '../../src/features/analysis/index.ts';
import { settle } from '../../src/features/reading/index.ts';

/** Runs whatever analysis is asked for, in this process, and moves on what waited for it. Tells how many runs it took. */
export async function analyseNow(deps: Deps): Promise<number> {
  const analyst = new OwnAnalyst(deps);
  try {
    let runs = 0;
    await settle(deps);
    while (runs < 10 && (await analyseNext(deps, analyst, 'test'))) runs += 1;
    await settle(deps);
    return runs;
  } finally {
    await analyst.close();
  }
}
