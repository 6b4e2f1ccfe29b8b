import { type FileHandle, open } from 'node:fs/promises';

/** Everything that a collector can be asked to look at. */
const methods = 521_215;
const pieceLength = 256 * 1024;

/** A file of a collector that is written object by object: no more than a piece of it is in memory. */
export class CollectorFile {
  objects = 0;
  bytes = 0;
  readonly #facts: object;
  readonly #file: FileHandle;
  #pending: string;

  private constructor(facts: object, file: FileHandle) {
    this.#facts = facts;
    this.#file = file;
    this.#pending = '{"data":[';
  }

  /** As SharpHound writes it, or with other facts about it. */
  static async create(
    path: string,
    type: string,
    facts: object = { methods, version: 6 },
  ): Promise<CollectorFile> {
    return new CollectorFile({ type, ...facts }, await open(path, 'w'));
  }

  async add(object: object): Promise<void> {
    this.#pending += `${this.objects === 0 ? '' : ','}${JSON.stringify(object)}`;
    this.objects += 1;
    if (this.#pending.length >= pieceLength) await this.#flush();
  }

  /** Collectors write what the file is about at its end. */
  async end(): Promise<void> {
    const meta = { ...this.#facts, count: this.objects };
    this.#pending += `],"meta":${JSON.stringify(meta)}}`;
    await this.#flush();
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    const piece = Buffer.from(this.#pending);
    this.#pending = '';
    await this.#file.writeFile(piece);
    this.bytes += piece.length;
  }
}
