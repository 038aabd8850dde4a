export const guardedFetchReasons = [
  'bad_url',
  'forbidden_address',
  'dns',
  'refused',
  'unreachable',
  'reset',
  'tls',
  'timeout',
  'protocol',
] as const;

export type GuardedFetchReason = (typeof guardedFetchReasons)[number];

/** A request failed. The message names no address and can be shown to the owner of the URL. */
export class GuardedFetchError extends Error {
  override readonly name = 'GuardedFetchError';
  readonly reason: GuardedFetchReason;

  constructor(reason: GuardedFetchReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}

/** Classifies an error of a connection. Drops its message, which may name an internal address. */
export function toGuardedFetchError(error: unknown): GuardedFetchError {
  if (error instanceof GuardedFetchError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const failed = (reason: GuardedFetchReason, message: string) =>
    new GuardedFetchError(reason, message, { cause: error });
  if (code === 'ETIMEDOUT') return failed('timeout', 'The connection timed out');
  if (/^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)) {
    return failed('tls', `The TLS handshake failed (${code})`);
  }
  if (code === 'ECONNREFUSED') return failed('refused', 'The connection was refused');
  if (/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/.test(code)) {
    return failed('unreachable', 'The host is unreachable');
  }
  if (/^(?:ECONNRESET|EPIPE|ECONNABORTED)$/.test(code)) {
    return failed('reset', 'The connection was closed before the response was complete');
  }
  return failed('protocol', 'The request failed');
}
