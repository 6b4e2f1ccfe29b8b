import autocannon from 'autocannon';
import type { BenchRequest } from './operations.ts';

export interface Measurement {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failures: number;
}

/** Sends requests over `connections` for `seconds` and counts what came back. */
export async function measure(
  url: string,
  token: string,
  request: (n: number) => BenchRequest,
  connections: number,
  seconds: number,
): Promise<Measurement> {
  let n = 0;
  const next = () => request(n++);
  const sample = request(0);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(sample.body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [
      {
        method: sample.method,
        path: sample.path,
        headers,
        ...(sample.method === 'GET'
          ? {}
          : {
              setupRequest: (prepared: object) => {
                const { path, body } = next();
                return { ...prepared, path, ...(body === undefined ? {} : { body }) };
              },
            }),
      },
    ],
  });
  return {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}
