import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeEstate } from '../../bench/generator/estate.ts';
import { Random } from '../../bench/generator/random.ts';
import { compareGraphs, type OpenGraphFile } from '../../scripts/compare-graphs.ts';
import { readSettings } from '../../src/config.ts';
import { openStores, type Stores } from '../../src/db/open.ts';
import { zip } from '../collectors/zip.ts';
import { exported } from '../graph/exported.ts';
import { sharedPassword } from '../server/builders.ts';
import { type KennelProcess, runKennel, serveKennel, within } from '../server/processes.ts';
import { killAll } from './kill.ts';

export interface Torture {
  /** The store of the server that is killed, and that of the one that is left alone. */
  readonly env: Readonly<Record<string, string>>;
  readonly alone: Readonly<Record<string, string>>;
  /** For the files; what is made there is removed. */
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
  readonly objects: number;
  /** After that nothing is killed any more. */
  readonly mostMs: number;
  onKill?(kills: number, round: number): void;
}

export interface Tortured {
  readonly kills: number;
  readonly rounds: number;
  readonly nodes: number;
  readonly edges: number;
  /** In plain words; of the first round that has any. */
  readonly differences: readonly string[];
}

const objectsPerFile = 300;
/**
 * A kill comes up to so long after a server has begun to read: several files, or a part of the first. On a slow
 * machine it becomes more, because a server that never finishes a file would only be killed in the same one.
 */
const waitMs = { first: 800, least: 50, most: 20_000, growth: 1.5 };
/** A fast machine may read everything between two looks, but not time and again with ever shorter waits. */
const mostRoundsWithoutKill = 10;
/** A file that a dead server had claimed on PostgreSQL is free again after ten seconds. */
const claimMs = 60_000;
const roundMs = 300_000;

/**
 * Kills a server again and again while it reads, and lets it go on. Every round brings other details about the same
 * objects, and ends with a graph that has to be that of a server which was left alone.
 */
export async function tortureReading(torture: Torture): Promise<Tortured> {
  const endAt = performance.now() + torture.mostMs;
  const victim = await Victim.start(torture.env);
  const alone = await Victim.start(torture.alone).catch(async (error) => {
    await victim.remove();
    throw error;
  });
  const random = new Random(torture.seed, 4711);
  let [kills, rounds] = [0, 0];
  let mostWaitMs: number = waitMs.first;
  let idleRounds = 0;
  try {
    for (;;) {
      rounds += 1;
      const files = await writeFiles(torture, rounds);
      const before = kills;
      const [id, undisturbed] = await Promise.all([victim.upload(files), alone.upload(files)]);
      let finished = 0;
      while (kills < torture.kills && performance.now() < endAt && (await victim.waitForReading(id))) {
        await sleep(random.below(mostWaitMs));
        if (!(await victim.isReading())) continue;
        await victim.kill();
        kills += 1;
        torture.onKill?.(kills, rounds);
        const before = finished;
        finished = await victim.countFinished(id);
        mostWaitMs =
          finished === before
            ? Math.min(mostWaitMs * waitMs.growth, waitMs.most)
            : Math.max(mostWaitMs / waitMs.growth, waitMs.least);
      }
      await victim.finish(id, files);
      await alone.finish(undisturbed, files);
      const expected = await alone.graph();
      const differences = compareGraphs(expected, await victim.graph());
      const { nodes, edges } = expected.graph;
      const isLate = performance.now() > endAt;
      if (differences.length > 0 || kills >= torture.kills || isLate)
        return { kills, rounds, nodes: nodes.length, edges: edges.length, differences };
      idleRounds = kills === before ? idleRounds + 1 : 0;
      if (idleRounds > 0) mostWaitMs = Math.max(mostWaitMs / 2, waitMs.least);
      if (idleRounds === mostRoundsWithoutKill)
        throw new Error(`${idleRounds} rounds passed without a kill: give it more objects`);
    }
  } finally {
    await victim.remove();
    await alone.remove();
  }
}

/** Every third file is in an archive, whose entries are read one by one. */
async function writeFiles({ folder, seed, objects }: Torture, round: number): Promise<string[]> {
  const made = join(folder, 'made');
  rmSync(made, { recursive: true, force: true });
  const { files } = await writeEstate({ folder: made, objects, seed, generation: round, objectsPerFile });
  const plain = files.filter((_, index) => index % 3 !== 2);
  const packed = files.filter((_, index) => index % 3 === 2);
  const archives: string[] = [];
  for (let from = 0; from < packed.length; from += 3) {
    const entries = packed
      .slice(from, from + 3)
      .map((path) => ({ name: basename(path), content: readFileSync(path) }));
    const path = join(made, `archive-${from}.zip`);
    writeFileSync(path, zip(entries));
    archives.push(path);
  }
  return [...archives, ...plain];
}

/** A server with its store. */
class Victim {
  readonly #env: Readonly<Record<string, string>>;
  readonly #stores: Stores;
  readonly #token: string;
  readonly #gone = new Set<string>();
  #server: KennelProcess;

  private constructor(env: Readonly<Record<string, string>>, server: KennelProcess, token: string) {
    this.#env = env;
    this.#server = server;
    this.#token = token;
    this.#stores = openStores(readSettings(env));
  }

  static async start(settings: Readonly<Record<string, string>>): Promise<Victim> {
    const env = { ...settings, KENNEL_ADMIN_PASSWORD: sharedPassword };
    const server = await serveKennel(env);
    const { stdout, stderr, code } = await runKennel(['token'], env);
    if (code === 0) return new Victim(env, server, stdout.trim());
    await server.end('SIGKILL');
    throw new Error(stderr);
  }

  async upload(files: readonly string[]): Promise<number> {
    const { stdout, code, stderr } = await runKennel(
      ['ingest', '--json', '--url', this.#server.url, '--token', this.#token, ...files],
      {},
    );
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout).upload_id;
  }

  /** Until this server has begun to read a file; false when the upload is over before. */
  waitForReading(id: number): Promise<boolean> {
    return within(claimMs, 'the server does not go on reading', async () => {
      if (await this.isReading()) return true;
      return (await this.#find(id)).status === 6 ? undefined : false;
    });
  }

  async isReading(): Promise<boolean> {
    const rows = await this.#stores.db.query<{ reader: string }>(
      "select reader from ingest_files where state = 'reading'",
    );
    return rows.some(({ reader }) => !this.#gone.has(reader));
  }

  async countFinished(id: number): Promise<number> {
    const row = await this.#stores.db.one<{ n: number }>(
      "select count(*) as n from ingest_files where upload_id = $1 and state not in ('waiting', 'reading')",
      [id],
    );
    return Number(row?.n);
  }

  /** Both processes at once, so that neither can tidy up after the other; then starts anew. */
  async kill(): Promise<void> {
    const rows = await this.#stores.db.query<{ reader: string }>(
      "select reader from ingest_files where state = 'reading'",
    );
    for (const { reader } of rows) this.#gone.add(reader);
    await killAll(this.#server);
    this.#server = await serveKennel(this.#env);
  }

  /** Waits for the end of the upload, which has to have read every file once. */
  async finish(id: number, files: readonly string[]): Promise<void> {
    const done = await within(roundMs, 'the upload does not end', async () => {
      const found = await this.#find(id);
      return found.status === 6 || found.status === 7 ? undefined : found;
    });
    if (done.status !== 2 || done.failed_files !== 0)
      throw new Error(`the upload ended as ${done.status}: ${done.status_message}`);
    const tasks = await this.#get(`/${id}/completed-tasks`);
    const names = tasks.filter((task) => task.parent_file_name === '').map((task) => task.file_name);
    const given = files.map((file) => basename(file));
    const entries = tasks.length - names.length;
    if (tasks.length !== done.total_files || new Set(names).size !== names.length)
      throw new Error(`${tasks.length} results tell of ${done.total_files} files`);
    const archives = given.filter((name) => name.endsWith('.zip')).length;
    if (names.some((name) => !given.includes(String(name))) || entries < archives)
      throw new Error(`the results are about other files: ${names.join(', ')}`);
  }

  /** What is in the graph, and which fields of the files say so. */
  async graph(): Promise<OpenGraphFile> {
    const { graph } = this.#stores;
    const file = await exported(graph);
    const rows = await graph.query<{ stated_by: number }>('select stated_by from edges order by id');
    return {
      graph: {
        nodes: file.graph.nodes,
        edges: file.graph.edges.map((edge, index) => ({
          ...edge,
          properties: { ...edge.properties, '(stated by)': rows[index]?.stated_by },
        })),
      },
    };
  }

  async remove(): Promise<void> {
    await this.#server.end('SIGKILL');
    await this.#stores.close();
  }

  async #find(id: number): Promise<Record<string, unknown>> {
    const [found] = await this.#get(`?id=eq:${id}`);
    if (found === undefined) throw new Error(`upload ${id} is gone`);
    return found;
  }

  async #get(path: string): Promise<Record<string, unknown>[]> {
    const answer = await fetch(`${this.#server.url}/api/v2/file-upload${path}`, {
      headers: { authorization: `Bearer ${this.#token}` },
    });
    if (!answer.ok) throw new Error(`${path} is answered with ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { data: Record<string, unknown>[] }).data;
  }
}
