import type { Command } from 'commander';
import { commandLine } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { answerTo, readAnswers, requestAnalysis } from '../features/analysis/index.ts';
import { countDerived, findPublished } from '../graph/analysis/store.ts';
import { formatRfc3339 } from '../values/time.ts';
import { analyseUntil } from './analyse-here.ts';
import { CommandError, printResult } from './output.ts';
import { PercentLine } from './progress.ts';
import { isServed } from './served.ts';
import { commandSettings, withSettings } from './settings.ts';
import { withStore } from './store.ts';

export function define(command: Command): void {
  command.option('--json', 'print one JSON line');
  withSettings(command).action(async (options: { json?: boolean }) => {
    const progress = new PercentLine(options.json !== true);
    await withStore(commandSettings(command), (deps) => analyze(deps, progress, options.json));
  });
}

async function analyze(deps: Deps, progress: PercentLine, asJson: boolean | undefined): Promise<void> {
  const { db, graph } = deps;
  let isCanceled = false;
  const cancel = () => {
    isCanceled = true;
  };
  process.once('SIGINT', cancel).once('SIGTERM', cancel);
  try {
    const requestId = await requestAnalysis(deps, db, commandLine);
    const answer = async () => answerTo(requestId, await readAnswers(db, graph));
    await analyseUntil(deps, progress, {
      isServed: isServed(deps.settings),
      isDone: async () => (await answer()) !== 'open',
      isCanceled: () => isCanceled,
    });
    if ((await answer()) === 'open')
      throw new CommandError('stopped: the next analysis answers this request too');
    if ((await answer()) === 'failed') throw new CommandError('analysis failed: the log says why');
    await report(deps, requestId, asJson);
  } finally {
    process.off('SIGINT', cancel).off('SIGTERM', cancel);
  }
}

async function report({ graph }: Deps, requestId: number, asJson: boolean | undefined): Promise<void> {
  const published = await findPublished(graph);
  const derived = await countDerived(graph);
  const total = Object.values(derived).reduce((sum, count) => sum + count, 0);
  printResult(
    {
      request_id: requestId,
      analysis_id: published?.id ?? null,
      started_at: published === undefined ? null : formatRfc3339(published.startedAt),
      derived_edges: total,
      derived_by_kind: derived,
    },
    [
      ...Object.entries(derived).map(([kind, count]) => `${String(count).padStart(9)}  ${kind}`),
      `analysed: ${total} edges derived`,
    ],
    asJson,
  );
}
