import type { Family, Sample } from './exposition.js';

/** A request that was answered by the API; redirects and pictures are counted as visits. */
export interface AnsweredRequest {
  /** The contract's operationId; undefined where no route was found. */
  readonly operation: string | undefined;
  /** Undefined when the caller went away. */
  readonly status: number | undefined;
  readonly durationMs: number;
}

const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Durations {
  /** For each bucket, those that are not in the one before. */
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** How many requests each operation has had, how they ended and how long they took. */
export class RequestMeter {
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #durations = new Map<string, Durations>();

  observe({ operation = 'none', status, durationMs }: AnsweredRequest): void {
    const outcome = status === undefined ? 'aborted' : String(status);
    const counts = this.#counts.get(operation) ?? new Map<string, number>();
    this.#counts.set(operation, counts);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    let durations = this.#durations.get(operation);
    if (!durations) {
      durations = { buckets: bucketSeconds.map(() => 0), sum: 0, count: 0 };
      this.#durations.set(operation, durations);
    }
    const seconds = durationMs / 1000;
    durations.sum += seconds;
    durations.count += 1;
    const bucket = bucketSeconds.findIndex((limit) => seconds <= limit);
    if (bucket >= 0) durations.buckets[bucket] = (durations.buckets[bucket] ?? 0) + 1;
  }

  families(): Family[] {
    return [
      {
        name: 'shorty_api_requests_total',
        type: 'counter',
        help: 'Requests that were answered, by operation and status.',
        samples: [...this.#counts].flatMap(([operation, counts]) =>
          [...counts].map(([status, value]) => ({ labels: { operation, status }, value })),
        ),
      },
      {
        name: 'shorty_api_request_duration_seconds',
        type: 'histogram',
        help: 'From the head of a request to the end of its answer.',
        samples: [...this.#durations].flatMap(([operation, durations]) =>
          toSamples(operation, durations),
        ),
      },
    ];
  }
}

function toSamples(operation: string, { buckets, sum, count }: Durations): Sample[] {
  let below = 0;
  const limits = bucketSeconds.map((limit, at): Sample => {
    below += buckets[at] ?? 0;
    return { suffix: '_bucket', labels: { operation, le: String(limit) }, value: below };
  });
  return [
    ...limits,
    { suffix: '_bucket', labels: { operation, le: '+Inf' }, value: count },
    { suffix: '_sum', labels: { operation }, value: sum },
    { suffix: '_count', labels: { operation }, value: count },
  ];
}
