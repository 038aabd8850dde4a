import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { errorStatus } from '../contract/errors.js';
import { redirectRoutes } from '../redirect/redirect-contract.js';

/** A finished API request. Redirects and images are not API requests; they are counted as visits. */
export interface FinishedRequest {
  /** The contract's operationId; undefined when no route matched. */
  readonly operation: string | undefined;
  /** Undefined when the client disconnected before the response was sent. */
  readonly status: number | undefined;
  readonly durationMs: number;
}

// The label of requests that no route matches.
const unmatched = 'none';
const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Registers the number of API requests by operation and status, and their duration. The time series of
 * failures exist from the start. Returns a function that counts a request.
 */
export function registerRequestMetrics(
  registry: Registry,
  operations: readonly string[],
): (request: FinishedRequest) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'shorty_api_requests_total',
    help: 'API requests by operation and status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  // An alert on an increase misses the first failure of an operation unless its series starts at zero.
  for (const operation of [...operations, unmatched]) {
    for (const code of ['INTERNAL', 'UNAVAILABLE'] as const) {
      requests.inc({ operation, status: errorStatus[code] }, 0);
    }
  }
  const durations = new Histogram({
    name: 'shorty_api_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response.',
    labelNames: ['operation'],
    buckets: bucketSeconds,
    registers,
  });
  return ({ operation = unmatched, status, durationMs }) => {
    requests.inc({ operation, status: status ?? 'aborted' });
    durations.observe({ operation }, durationMs / 1000);
  };
}

// These time series exist from the start, too.
const linkStatuses = redirectRoutes.flatMap(({ responses, errors }) => [
  ...Object.keys(responses).map(Number),
  ...[...errors, 'NOT_FOUND' as const, 'INTERNAL' as const, 'UNAVAILABLE' as const].map(
    (code) => errorStatus[code],
  ),
]);

/**
 * Registers the number of responses to visits of short links by status. Returns a function that counts
 * a response. It is called for each redirect, so it uses no counter of the library, which builds a text
 * from the labels at each call.
 */
export function registerLinkMetrics(registry: Registry): (status: number) => void {
  const counts = new Map(linkStatuses.map((status) => [status, 0]));
  registerMetric(registry, {
    name: 'shorty_link_responses_total',
    help: 'Responses to visits of short links by status: redirects, password forms, and errors.',
    labelNames: ['status'],
    read: () => Array.from(counts, ([status, value]) => [`${status}`, value]),
  });
  return (status) => counts.set(status, (counts.get(status) ?? 0) + 1);
}

/** The values of the labels, separated by slashes, and the value. */
export type Sample = readonly [labels: string, value: number];

/** A metric whose values exist elsewhere in the server. They are read at each scrape of `/metrics`. */
export interface ScrapedMetric {
  /** A counter has a name that ends with `_total`. Any other metric is a gauge. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** Samples with the same labels are added up. */
  readonly read: () => number | Iterable<Sample>;
}

export function registerMetric(
  registry: Registry,
  { name, help, labelNames = [], read }: ScrapedMetric,
): void {
  const Metric = name.endsWith('_total') ? Counter : Gauge;
  new Metric({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      const value = read();
      const samples = typeof value === 'number' ? ([['', value]] as const) : value;
      for (const [text, count] of samples) {
        const values = text.split('/');
        this.inc(Object.fromEntries(labelNames.map((name, at) => [name, values[at] ?? ''])), count);
      }
    },
  });
}
