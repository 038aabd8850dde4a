import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
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

const failures: readonly (readonly [code: RegExp, GuardedFetchReason, message: string])[] = [
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'timeout', 'The connection timed out'],
  [
    /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/,
    'tls',
    'The TLS handshake failed',
  ],
  [/^ECONNREFUSED$/, 'refused', 'The connection was refused'],
  [/^E(?:HOST|NET)(?:UNREACH|DOWN)$|^EADDRNOTAVAIL$/, 'unreachable', 'The host is unreachable'],
  [
    /^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET)$/,
    'reset',
    'The connection was closed before the response was complete',
  ],
  [/HEADERS?_OVERFLOW$/, 'protocol', 'The headers of the response are too large'],
  [/^(?:UND_ERR_RES_CONTENT|HPE_)/, 'protocol', 'The response is not valid HTTP'],
  [/^UND_ERR_INVALID_ARG$/, 'protocol', 'A header of the request is not valid'],
];

/** Classifies an error of undici. Drops its message, which may name an internal address. */
export function toGuardedFetchError(error: unknown): GuardedFetchError | FetchClosedError {
  if (error instanceof GuardedFetchError || error instanceof FetchClosedError) return error;
  // Only some errors of undici's parser have no code.
  const code = error instanceof Error && 'code' in error ? String(error.code ?? 'HPE_') : '';
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new FetchClosedError('the fetch is closed', { cause: error });
  }
  // undici refuses 100 Continue and 101, for which it did not ask.
  const isUnexpected = error instanceof Error && /^bad (?:response|upgrade)$/.test(error.message);
  const [, reason = 'protocol', message = 'The request failed'] = isUnexpected
    ? [code, 'protocol' as const, 'The receiver sent an unexpected 1xx response']
    : (failures.find(([pattern]) => pattern.test(code)) ?? []);
  const detail = reason === 'tls' ? ` (${code})` : '';
  return new GuardedFetchError(reason, message + detail, { cause: error });
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
