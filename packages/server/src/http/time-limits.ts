/** How long, in milliseconds, others may keep the server waiting. */
export interface TimeLimits {
  /** For the headers of a request, from its first byte or, for the first one, from the connection. */
  readonly headers: number;
  /** For a whole request. */
  readonly request: number;
  /** For the whole body of a request without a token: credentials or a password. */
  readonly publicBody: number;
  /** For some of an answer to be taken. */
  readonly answer: number;
  /** Between two requests. */
  readonly keepAlive: number;
  /** How often all but the last are looked after. */
  readonly checks: number;
}

export const defaultTimeLimits: TimeLimits = {
  // Long enough for a slow network, short enough that idle senders do not pile up.
  headers: 20_000,
  request: 60_000,
  publicBody: 5_000,
  answer: 120_000,
  // Longer than the idle time of usual proxies, so that they, not we, close first.
  keepAlive: 75_000,
  checks: 5_000,
};
