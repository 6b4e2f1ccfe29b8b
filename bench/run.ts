import { benchHttp } from './http.ts';

const benches: Record<string, (args: readonly string[]) => Promise<void>> = { http: benchHttp };

const [name = '', ...args] = process.argv.slice(2);
const bench = benches[name];
if (bench === undefined) {
  process.stderr.write(
    `usage: npm run bench -- <${Object.keys(benches).join(' | ')}> [--seconds=3] [--stores=sqlite,postgres] [--sizes=small,large] [--connections=1,16,64] [--only=GET]\n`,
  );
  process.exit(2);
}
await bench(args);
