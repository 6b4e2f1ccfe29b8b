import { benchAnalysis } from './analysis.ts';
import { benchHttp } from './http.ts';
import { benchIngest } from './ingest.ts';
import { benchTenants } from './ingest-azure.ts';
import { benchPosture } from './posture.ts';
import { benchStart } from './start.ts';

const benches: Record<string, (args: readonly string[]) => Promise<void>> = {
  analysis: benchAnalysis,
  http: benchHttp,
  ingest: (args) => (args.includes('--azure') ? benchTenants(args) : benchIngest(args)),
  posture: benchPosture,
  start: benchStart,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = benches[name];
if (bench === undefined) {
  process.stderr.write(
    `usage: npm run bench -- <${Object.keys(benches).join(' | ')}>
  analysis [--objects=500000] [--store=sqlite|postgres|both] [--seed=1]
  http   [--seconds=3] [--stores=sqlite,postgres] [--sizes=small,large] [--connections=1,16,64] [--only=GET]
  ingest [--objects=300000] [--store=sqlite|postgres|both] [--file-mb=2000] [--seed=1] [--quick]
  ingest --azure [--objects=190000] [--store=sqlite|postgres|both] [--seed=1] [--quick]
  posture [--objects=500000] [--store=sqlite|postgres|both] [--years=10] [--seed=1] [--quick]
  start [--rounds=9], after npm run build
`,
  );
  process.exit(2);
}
await bench(args);
