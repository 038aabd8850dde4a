/** Time limits for clients, in milliseconds. */
export interface TimeLimits {
  /** For the headers of a request, from its first byte or, for the first request, from the connection. */
  readonly headers: number;
  /** For a whole request. */
  readonly request: number;
  /** For the whole body of a request without a token: credentials or a password. */
  readonly publicBody: number;
  /** For a body that holds a slot, before it must arrive at the minimum rate. */
  readonly slotGrace: number;
  /** For a client that reads nothing of its response. */
  readonly response: number;
  /** For an idle connection between two requests. */
  readonly keepAlive: number;
  /** The interval at which `headers`, `request` and `response` are checked. */
  readonly checks: number;
}

export const defaultTimeLimits: TimeLimits = {
  // Long enough for a slow network, and short enough that stalled clients do not accumulate.
  headers: 20_000,
  request: 60_000,
  publicBody: 5_000,
  slotGrace: 5_000,
  response: 120_000,
  // Longer than the idle time of common proxies. Otherwise the server could close a connection at the
  // moment when a proxy reuses it.
  keepAlive: 75_000,
  checks: 5_000,
};
