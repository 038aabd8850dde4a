/** Time limits for clients, in milliseconds. */
export type TimeLimits = Readonly<typeof defaultTimeLimits>;

export const defaultTimeLimits = {
  /** For the headers of a request, from its first byte or, for the first request, from the connection. */
  // Long enough for a slow network, and short enough that stalled clients do not accumulate.
  headers: 20_000,
  request: 60_000,
  /** For the whole body of a request without a token: credentials or a password. */
  publicBody: 5_000,
  /** For a body with a token, from the moment when the server begins to read it. */
  body: 20_000,
  /** For a connection on which nothing moves while a request is running: the client does not read. */
  response: 120_000,
  /** For an idle connection between two requests. */
  // Longer than the idle time of common proxies. Otherwise the server could close a connection at the
  // moment when a proxy reuses it.
  keepAlive: 75_000,
  /** The interval at which `headers` and `request` are checked. */
  checks: 5_000,
};
