import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { ResolveDns } from '../ports.js';
import { GuardedFetchError } from './guarded-fetch-error.js';
import { isPublicAddress, withoutBrackets } from './ip-address.js';

export interface ConnectorOptions {
  readonly allowPrivateNetwork: boolean;
  readonly resolve: ResolveDns;
  /** Limits the TCP connection and the TLS handshake together. */
  readonly timeoutMs: number;
}

/**
 * Connects to checked addresses only. Each connection looks up its host name again and connects to
 * an address of that look-up. A DNS response that changes later has no effect (DNS rebinding).
 */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { allowPrivateNetwork, timeoutMs } = options;
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup(options) });
  return (target, callback) => {
    const host = withoutBrackets(target.hostname);
    // Node does not call `lookup` for an IP address.
    if (!allowPrivateNetwork && isIP(host) !== 0 && !isPublicAddress(host)) {
      callback(forbidden(host), null);
      return;
    }
    connect(target, callback);
  };
}

function guardedLookup({ allowPrivateNetwork, resolve }: ConnectorOptions): LookupFunction {
  return (hostname, { all, family }, callback) => {
    resolve(hostname).then(
      (found) => {
        const addresses = found
          .filter((address) => allowPrivateNetwork || isPublicAddress(address))
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
}

function forbidden(host: string): GuardedFetchError {
  return new GuardedFetchError('forbidden_address', `${host} does not resolve to a public address`);
}

function notFound(host: string, cause?: unknown): GuardedFetchError {
  return new GuardedFetchError('dns', `No address was found for ${host}`, { cause });
}
