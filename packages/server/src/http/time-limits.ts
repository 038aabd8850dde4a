/** Time limits for clients, in milliseconds. */
export interface TimeLimits {
  /** For the headers of a request, from its first byte; for the first request, from the connection. */
  readonly headers: number;
  /** For a whole request. */
  readonly request: number;
  /** For the whole body of a request without a token: credentials or a password. */
  readonly publicBody: number;
  /** How long a body may hold a slot before its minimum rate counts. */
  readonly slotGrace: number;
  /** For a client to read nothing of a response. */
  readonly answer: number;
  /** Between two requests. */
  readonly keepAlive: number;
  /** How often all but the last are checked. */
  readonly checks: number;
}

export const defaultTimeLimits: TimeLimits = {
  // Long enough for a slow network, short enough that idle senders do not pile up.
  headers: 20_000,
  request: 60_000,
  publicBody: 5_000,
  slotGrace: 5_000,
  answer: 120_000,
  // Longer than the idle time of common proxies: the side that sends requests must close first.
  keepAlive: 75_000,
  checks: 5_000,
};
