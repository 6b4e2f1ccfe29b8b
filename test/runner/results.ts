/** What became of a run. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly complaints: readonly string[];
  /** The files that took longest, with their seconds. */
  readonly slowest: readonly (readonly [name: string, seconds: number])[];
}

const slowestShown = 15;

/** Reads the results of node's runner, of which every file is a suite; `failure` is how node itself ended. */
export function judge(tap: string, names: readonly string[], failure: string | undefined): Outcome {
  const count = (name: string) => {
    // What tests print also appears as comments, so only the last one is node's own summary.
    const counts = [...tap.matchAll(new RegExp(`^# ${name} (\\d+)$`, 'gm'))];
    return Number(counts.at(-1)?.[1] ?? 0);
  };
  const passed = count('pass');
  const failed = count('fail') + count('cancelled');
  const skipped = count('skipped') + count('todo');
  const complaints: string[] = [];
  const testsOf = testCounts(tap);
  const without = (count: 0 | undefined) => names.filter((name) => testsOf.get(name) === count).join(', ');
  if (names.length === 0) complaints.push('no test file to run');
  if (without(0)) complaints.push(`no tests in ${without(0)}`);
  if (without(undefined)) complaints.push(`not run to the end: ${without(undefined)}`);
  if (passed + failed === 0) complaints.push('no test ran');
  if (skipped > 0) complaints.push('skipped or todo tests are not allowed');
  if (failure) complaints.push(failure);
  return { passed, failed: failure ? failed || 1 : failed, skipped, complaints, slowest: slowestOf(tap) };
}

/** How many tests and suites each file that ended has at its top. */
function testCounts(tap: string): Map<string, number> {
  const counts = new Map<string, number>();
  let found = 0;
  for (const [, indent, name = ''] of tap.matchAll(/^( {4})?(?:not )?ok \d+ - (.*)$/gm)) {
    if (indent) {
      found += 1;
    } else {
      counts.set(name, found);
      found = 0;
    }
  }
  return counts;
}

function slowestOf(tap: string): [string, number][] {
  const times = tap.matchAll(/^(?:not )?ok \d+ - (.*)\n {2}---\n {2}duration_ms: ([\d.]+)$/gm);
  return [...times]
    .map(([, name = '', ms]): [string, number] => [name, Number(ms) / 1000])
    .sort(([, a], [, b]) => b - a)
    .slice(0, slowestShown);
}

/** Prints the summary and returns the exit code. */
export function print({ passed, failed, skipped, complaints, slowest }: Outcome): number {
  console.log('\n=== slowest files ===');
  for (const [name, seconds] of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
  console.log('\n=== summary ===');
  for (const complaint of complaints) console.log(complaint);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed > 0 || complaints.length > 0 ? 1 : 0;
}
