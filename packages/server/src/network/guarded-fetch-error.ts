import { errors } from 'undici';

export type GuardedFetchReason =
  | 'bad_url'
  | 'forbidden_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'protocol';

/** Why no answer was had. The message can be shown to whoever chose the URL. */
export class GuardedFetchError extends Error {
  override readonly name = 'GuardedFetchError';
  readonly reason: GuardedFetchReason;

  constructor(reason: GuardedFetchReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}

/** What a connection's failure means, without the addresses that its own message may name. */
export function toGuardedFetchError(error: unknown): GuardedFetchError {
  if (error instanceof GuardedFetchError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const say = (reason: GuardedFetchReason, message: string) =>
    new GuardedFetchError(reason, message, { cause: error });
  if (error instanceof errors.ConnectTimeoutError || code === 'ETIMEDOUT') {
    return say('timeout', 'The connection could not be made in time');
  }
  if (error instanceof errors.HeadersOverflowError) {
    return say('protocol', 'The headers of the answer are too large');
  }
  if (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.ResponseContentLengthMismatchError
  ) {
    return say('protocol', 'The answer is no valid HTTP');
  }
  if (/^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)) {
    return say('tls', `The TLS handshake failed (${code})`);
  }
  if (code === 'ECONNREFUSED') return say('connect', 'The connection was refused');
  if (/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/.test(code)) {
    return say('connect', 'The host cannot be reached');
  }
  if (error instanceof errors.SocketError || /^(?:ECONNRESET|EPIPE|ECONNABORTED)$/.test(code)) {
    return say('connect', 'The connection was closed before the answer was complete');
  }
  return say('protocol', 'The exchange failed');
}
