import { isIP, type LookupFunction } from 'node:net';
import { buildConnector, errors } from 'undici';
import type { ResolveDns } from '../ports.js';
import { isPublicAddress } from './ip-address.js';

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

export class FetchClosedError extends Error {
  override readonly name = 'FetchClosedError';
}

/** Classifies an error of undici. Drops its message, which may name an internal address. */
export function toGuardedFetchError(error: unknown): GuardedFetchError | FetchClosedError {
  if (error instanceof GuardedFetchError || error instanceof FetchClosedError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const failed = (reason: GuardedFetchReason, message: string) =>
    new GuardedFetchError(reason, message, { cause: error });
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new FetchClosedError('the fetch is closed', { cause: error });
  }
  if (/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/.test(code))
    return failed('timeout', 'The connection timed out');
  if (/^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)) {
    return failed('tls', `The TLS handshake failed (${code})`);
  }
  if (code === 'ECONNREFUSED') return failed('refused', 'The connection was refused');
  if (/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/.test(code)) {
    return failed('unreachable', 'The host is unreachable');
  }
  // undici refuses 100 Continue and 101, for which it did not ask.
  const isUnexpected = error instanceof Error && /^bad (?:response|upgrade)$/.test(error.message);
  if (isUnexpected) return failed('protocol', 'The receiver sent an unexpected 1xx response');
  if (/^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET)$/.test(code)) {
    return failed('reset', 'The connection was closed before the response was complete');
  }
  if (/^(?:UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/.test(code)) {
    return failed('protocol', 'The headers of the response are too large');
  }
  const isInvalid = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  if (isInvalid || error instanceof errors.HTTPParserError) {
    return failed('protocol', 'The response is not valid HTTP');
  }
  if (code === 'UND_ERR_INVALID_ARG') {
    return failed('protocol', 'A header of the request is not valid');
  }
  return failed('protocol', 'The request failed');
}

const connectTimeoutMs = 5_000;

/**
 * Returns undici's connector, which connects to checked addresses only. Each connection looks up its
 * host name again and connects to an address of that look-up. A DNS response that changes later has
 * no effect (DNS rebinding).
 */
export function guardedConnector(
  allowPrivateNetwork: boolean,
  resolve: ResolveDns,
): buildConnector.connector {
  const isAllowed = (address: string) => allowPrivateNetwork || isPublicAddress(address);

  const lookup: LookupFunction = (hostname, { all, family }, callback) => {
    resolve(hostname).then(
      (found) => {
        const addresses = found
          .filter(isAllowed)
          .map((address) => ({ address, family: isIP(address) }))
          .filter((each) => each.family !== 0 && (!family || each.family === family));
        const [first] = addresses;
        if (!first) callback(found.length > 0 ? forbidden(hostname) : notFound(hostname), '', 0);
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (cause) => callback(notFound(hostname, cause), '', 0),
    );
  };

  // The option `lookup` is passed on to `net.connect`. undici's type lacks it.
  const options = { timeout: connectTimeoutMs, lookup };
  const connect = buildConnector(options);
  return (target, callback) => {
    // Node does not call `lookup` for an IP address.
    const isForbidden = isIP(target.hostname) !== 0 && !isAllowed(target.hostname);
    if (isForbidden) callback(forbidden(target.hostname), null);
    else connect(target, callback);
  };
}

function forbidden(host: string): GuardedFetchError {
  return new GuardedFetchError('forbidden_address', `${host} does not resolve to a public address`);
}

function notFound(host: string, cause?: unknown): GuardedFetchError {
  return new GuardedFetchError('dns', `No address was found for ${host}`, { cause });
}
