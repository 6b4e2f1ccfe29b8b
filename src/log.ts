import { Writable } from 'node:stream';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Settings } from './config.ts';
import { onItsLines, onOneLine } from './values/text.ts';

export type { Logger };

/** Log lines go to standard error, as JSON or, on a terminal, as plain text; standard output is for data. */
export function createLog(settings: Pick<Settings, 'logLevel' | 'logFormat'>): Logger {
  const pretty =
    settings.logFormat === 'pretty' || (settings.logFormat === 'auto' && process.stderr.isTTY === true);
  const stream: DestinationStream = pretty ? prettyStream(process.stderr) : jsonStream();
  return pino(
    {
      level: settings.logLevel,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
}

/** Lines are written in batches, at the latest after a moment: a write per request would cost more than the request. */
function jsonStream(): DestinationStream {
  return destination({ fd: 2, sync: false, minLength: 4096, periodicFlush: 100 });
}

/** One readable line per record; control characters of logged text are shown, not sent to the terminal. */
function prettyStream(output: NodeJS.WritableStream): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const { time, level, msg, err, ...rest } = JSON.parse(chunk.toString()) as Record<string, unknown>;
      const details = Object.entries(rest)
        .map(
          ([name, value]) =>
            `${name}=${typeof value === 'string' && /^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value)}`,
        )
        .join(' ');
      const clock = String(time).slice(11, 19);
      const text = JSON.stringify(String(msg ?? '')).slice(1, -1);
      const line = `${clock} ${String(level).padEnd(5)} ${text}${details === '' ? '' : `  ${details}`}`;
      output.write(`${onOneLine(line)}\n`);
      const stack = (err as { stack?: string } | undefined)?.stack;
      if (stack !== undefined) output.write(`${onItsLines(stack)}\n`);
      done();
    },
  });
}
