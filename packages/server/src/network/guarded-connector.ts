import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { ResolveDns } from '../ports.js';
import { GuardedFetchError } from './guarded-fetch-error.js';
import { isPublicAddress } from './ip-address.js';

export interface ConnectorOptions {
  readonly allowPrivateNetwork: boolean;
  readonly resolve: ResolveDns;
}

const connectTimeoutMs = 5_000;

/**
 * Returns undici's connector, which connects to checked addresses only. Each connection looks up its
 * host name again and connects to an address of that look-up. A DNS response that changes later has
 * no effect (DNS rebinding).
 */
export function guardedConnector({
  allowPrivateNetwork,
  resolve,
}: ConnectorOptions): buildConnector.connector {
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
