import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Prometheus metrics. Labels are route templates, never identifiers. */
export class HttpMetrics {
  readonly registry = new Registry();
  readonly #duration: Histogram<'method' | 'route' | 'status'>;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#duration = new Histogram({
      name: 'kennel_http_request_duration_seconds',
      help: 'Time from the head of a request to the last byte of its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      registers: [this.registry],
    });
  }

  /** A number that only grows, which somebody else counts. */
  count(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** A number that goes up and down, looked up whenever it is asked for; not a number while it can't be. */
  gauge(name: string, help: string, read: () => Promise<number>, onError: (error: unknown) => void): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        const value = await read().catch(onError);
        this.set(value ?? Number.NaN);
      },
    });
  }

  observe(method: string, route: string, status: number, milliseconds: number): void {
    this.#duration.observe({ method, route, status }, milliseconds / 1000);
  }
}
