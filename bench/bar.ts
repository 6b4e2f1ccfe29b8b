import { SingleBar } from 'cli-progress';

export interface Bar {
  update(value: number, note?: string): void;
  stop(): void;
}

const everyMs = 10_000;

/** How far something is, on standard error: a bar on a terminal, a line now and then elsewhere. */
export function startBar(name: string, total: number): Bar {
  if (process.stderr.isTTY !== true) return startLines(name, total);
  const bar = new SingleBar({
    stream: process.stderr,
    hideCursor: true,
    fps: 5,
    format: `${name} [{bar}] {percentage} %, {value} of {total}, {duration_formatted}, {eta_formatted} left {note}`,
  });
  bar.start(total, 0, { note: '' });
  return {
    update: (value, note = '') => bar.update(Math.min(value, total), { note }),
    stop: () => bar.stop(),
  };
}

function startLines(name: string, total: number): Bar {
  const startedAt = performance.now();
  let toldAt = startedAt;
  let last = '';
  const tell = () => process.stderr.write(`${name}: ${last}\n`);
  return {
    update: (value, note = '') => {
      last = `${value} of ${total} ${note}`.trimEnd();
      if (performance.now() - toldAt < everyMs) return;
      toldAt = performance.now();
      tell();
    },
    stop: () => {
      if (last === '') return;
      last += `, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
      tell();
    },
  };
}
