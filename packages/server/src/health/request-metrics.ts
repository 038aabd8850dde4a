import { Counter, Histogram, type Registry } from 'prom-client';

/** A finished API request. Redirects and images are not API requests; they are counted as visits. */
export interface FinishedRequest {
  /** The contract's operationId; undefined when no route matched. */
  readonly operation: string | undefined;
  /** Undefined when the client disconnected before the response was sent. */
  readonly status: number | undefined;
  readonly durationMs: number;
}

const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Registers the number of API requests by operation and status, and their duration. Returns a function
 * that counts a request.
 */
export function registerRequestMetrics(registry: Registry): (request: FinishedRequest) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'shorty_api_requests_total',
    help: 'API requests by operation and status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'shorty_api_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response.',
    labelNames: ['operation'],
    buckets: bucketSeconds,
    registers,
  });
  return ({ operation = 'none', status, durationMs }) => {
    requests.inc({ operation, status: status ?? 'aborted' });
    durations.observe({ operation }, durationMs / 1000);
  };
}
