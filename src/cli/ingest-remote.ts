import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isOver } from '../features/jobs/index.ts';
import { bytesOf, type FileOutcome, type GivenFile, type Ingested } from './ingest-files.ts';
import { CommandError, exitCodes } from './output.ts';
import type { ProgressLine } from './progress.ts';

const lookEveryMs = 1000;

interface Target {
  readonly url: string;
  readonly token: string;
}

/** Uploads the files to a server, and waits for its results where that is asked for. */
export async function ingestRemotely(
  target: Target,
  files: readonly GivenFile[],
  progress: ProgressLine,
  wait: boolean,
): Promise<Ingested> {
  const started = await call<{ data: { id: number } }>(target, 'POST', 'start');
  const { id } = started.data;
  try {
    for (const file of files) {
      progress.start(`sending ${file.name}`, file.size);
      await call(target, 'POST', String(id), file, progress);
      progress.stop();
    }
    await call(target, 'POST', `${id}/end`);
  } catch (error) {
    await call(target, 'POST', `${id}/cancel`).catch(() => {});
    throw error;
  } finally {
    progress.stop();
  }
  for (;;) {
    const { data } = await call<{ data: { status: number; status_message: string }[] }>(
      target,
      'GET',
      `?id=eq:${id}`,
    );
    const [upload] = data;
    if (upload === undefined) throw new CommandError(`the server no longer knows upload ${id}`);
    const { status, status_message: message } = upload;
    if (!wait) return { uploadId: id, status, message, files: undefined };
    if (isOver(status)) {
      const tasks = await call<{ data: FileOutcome[] }>(target, 'GET', `${id}/completed-tasks`);
      return { uploadId: id, status, message, files: tasks.data };
    }
    await sleep(lookEveryMs);
  }
}

async function call<T>(
  { url, token }: Target,
  method: 'GET' | 'POST',
  path: string,
  file?: GivenFile,
  progress?: ProgressLine,
): Promise<T> {
  const address = `${url.replace(/\/+$/, '')}/api/v2/file-upload${path.startsWith('?') ? '' : '/'}${path}`;
  const answer = await fetch(address, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(file === undefined
        ? {}
        : {
            'content-type': `application/${file.kind}`,
            'x-file-upload-name': Buffer.from(file.name, 'utf8').toString('latin1'),
          }),
    },
    ...(file === undefined
      ? {}
      : { duplex: 'half', body: Readable.from(bytesOf(file, (bytes) => progress?.update(bytes))) }),
  } as RequestInit).catch((error: unknown) => {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    throw new CommandError(`${url} can't be reached: ${cause?.code ?? cause?.message ?? String(error)}`);
  });
  const text = await answer.text();
  if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  throw new CommandError(`${url} answered ${answer.status}: ${messageIn(text)}`, exitCodes.refused);
}

function messageIn(text: string): string {
  try {
    const { errors } = JSON.parse(text) as { errors: { message: string }[] };
    return errors.map(({ message }) => message).join('; ');
  } catch {
    return text.slice(0, 200);
  }
}
