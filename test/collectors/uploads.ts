import assert from 'node:assert/strict';
import type { Deps } from '../../src/deps.ts';
import { OwnReader, readNext } from '../../src/features/reading/index.ts';
import { analyseNow } from '../graph/analysis.ts';
import type { TestServer } from '../server/harness.ts';

export const templateId = '40AA411C-A4B2-4DD0-AC36-30A24B94C629';
export const caId = (number: number) => `2F9F3630-F46A-49BF-B186-${String(number).padStart(12, '0')}`;

/** A file that says which certificate authorities publish the template. */
export function caFile(numbers: readonly number[], padding = 0): string {
  return JSON.stringify({
    data: numbers.map((number) => ({
      ObjectIdentifier: caId(number),
      Properties: {
        name: `CA-${number}@EXAMPLE.LOCAL`,
        domain: 'EXAMPLE.LOCAL',
        description: 'x'.repeat(padding),
      },
      EnabledCertTemplates: [{ ObjectIdentifier: templateId, ObjectType: 'CertTemplate' }],
      Aces: [],
    })),
    meta: { methods: 0, type: 'enterprisecas', count: numbers.length, version: 6 },
  });
}

export function templateFile(): string {
  return JSON.stringify({
    data: [
      {
        ObjectIdentifier: templateId,
        Properties: { name: 'WEB@EXAMPLE.LOCAL', domain: 'EXAMPLE.LOCAL' },
        Aces: [],
      },
    ],
    meta: { methods: 0, type: 'certtemplates', count: 1, version: 6 },
  });
}

export interface SentFile {
  readonly body: string | Uint8Array;
  readonly name?: string;
  readonly type?: string;
  readonly encoding?: string;
}

export async function startUpload(server: TestServer, token: string): Promise<number> {
  const answer = await server.call('POST', '/api/v2/file-upload/start', { token });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

export function sendFile(server: TestServer, token: string, id: number, file: SentFile) {
  const {
    body,
    name,
    type = typeof body === 'string' ? 'application/json' : 'application/zip',
    encoding,
  } = file;
  return server.call('POST', `/api/v2/file-upload/${id}`, {
    token,
    body,
    headers: {
      'content-type': type,
      ...(name === undefined ? {} : { 'x-file-upload-name': name }),
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    },
  });
}

/** A whole upload, up to its end. */
export async function upload(server: TestServer, token: string, files: readonly SentFile[]): Promise<number> {
  const id = await startUpload(server, token);
  for (const file of files) {
    const answer = await sendFile(server, token, id, file);
    assert.equal(answer.status, 202, answer.text);
  }
  const answer = await server.call('POST', `/api/v2/file-upload/${id}/end`, { token });
  assert.equal(answer.status, 200, answer.text);
  return id;
}

/** Reads everything that waits, in this process, and has it analysed. Tells how many files it was. */
export async function readAll(deps: Deps): Promise<number> {
  const files = await readOnly(deps);
  await analyseNow(deps);
  return files;
}

/** The same without analysis. */
export async function readOnly(deps: Deps): Promise<number> {
  const reader = new OwnReader(deps);
  try {
    let files = 0;
    while (files < 1000 && (await readNext(deps, reader, 'test'))) files += 1;
    return files;
  } finally {
    await reader.close();
  }
}

export async function uploadOf(server: TestServer, token: string, id: number) {
  const answer = await server.call('GET', `/api/v2/file-upload?id=eq:${id}`, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data[0];
}

export async function tasksOf(server: TestServer, token: string, id: number) {
  const answer = await server.call('GET', `/api/v2/file-upload/${id}/completed-tasks`, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

export async function publishedTo(server: TestServer, token: string): Promise<string[]> {
  const answer = await server.call('GET', `/api/v2/certtemplates/${templateId}/published-to-cas`, { token });
  if (answer.status === 404) return [];
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.map((entry: { name: string }) => entry.name);
}
