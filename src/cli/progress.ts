import { type Options, SingleBar } from 'cli-progress';
import { onOneLine } from '../values/text.ts';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** One line that tells how far something is, on a terminal; elsewhere nothing. */
export class ProgressLine {
  #bar: SingleBar | undefined;
  #name = '';
  #startedAt = 0;
  readonly isShown: boolean;

  constructor(isShown: boolean) {
    this.isShown = isShown && process.stderr.isTTY === true;
  }

  /** Begins a new line, for so many bytes. */
  start(name: string, bytes: number): void {
    this.stop();
    if (!this.isShown) return;
    this.#name = onOneLine(name);
    this.#startedAt = performance.now();
    this.#bar = new SingleBar({
      ...look,
      format: (_, { value, total }, { records }) => this.#line(value, total, records),
    });
    this.#bar.start(Math.max(bytes, 1), 0, { records: 0 });
  }

  update(bytes: number, records = 0): void {
    const bar = this.#bar;
    bar?.update(Math.min(bytes, bar.getTotal()), { records });
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  #line(bytes: number, total: number, records: number): string {
    const seconds = Math.max((performance.now() - this.#startedAt) / 1000, 0.001);
    return progressText({ name: this.#name, bytes, total, records, seconds });
  }
}

const look: Options = { stream: process.stderr, hideCursor: true, clearOnComplete: true, fps: 5 };

export function progressText(state: {
  name: string;
  bytes: number;
  total: number;
  records: number;
  seconds: number;
}): string {
  const { name, bytes, total, records, seconds } = state;
  const filled = Math.floor((20 * bytes) / total);
  const left = bytes === 0 ? undefined : ((total - bytes) * seconds) / bytes;
  return [
    `${name} [${'#'.repeat(filled)}${'.'.repeat(20 - filled)}] ${Math.floor((100 * bytes) / total)} %`,
    `${sizeText(bytes)} of ${sizeText(total)}`,
    ...(records === 0 ? [] : [`${records} records`]),
    `${sizeText(bytes / seconds)}/s`,
    ...(left === undefined ? [] : [`${durationText(left)} left`]),
  ].join(', ');
}

function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** One line that tells which stage something is in and how far it is, on a terminal; elsewhere nothing. */
export class PercentLine {
  #bar: SingleBar | undefined;
  readonly #isShown: boolean;

  constructor(isShown: boolean) {
    this.#isShown = isShown && process.stderr.isTTY === true;
  }

  update({ stage, percent }: { readonly stage: string; readonly percent: number }): void {
    if (!this.#isShown) return;
    if (this.#bar === undefined) {
      this.#bar = new SingleBar({
        ...look,
        format: (_, { value }, { stage }) => percentText(String(stage), value),
      });
      this.#bar.start(100, 0, { stage });
    }
    this.#bar.update(percent, { stage });
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}

export function percentText(stage: string, percent: number): string {
  const filled = Math.floor(percent / 5);
  return `${stage.padEnd(10)} [${'#'.repeat(filled)}${'.'.repeat(20 - filled)}] ${percent} %`;
}
