import {
  connect as connectTcp,
  isIP,
  type LookupFunction,
  type OnReadOpts,
  type Socket,
} from 'node:net';
import { connect as connectTls } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { ResolveDns } from '../ports.js';
import { GuardedFetchError } from './guarded-fetch-error.js';
import { isPublicAddress, withoutBrackets } from './ip-address.js';

export interface ConnectorOptions {
  readonly allowPrivateNetwork: boolean;
  readonly resolve: ResolveDns;
}

/**
 * Starts a connection to the host of a URL. Throws a GuardedFetchError if its address is forbidden. Passes
 * what it receives to `onBytes`, which must not keep the bytes: the next ones overwrite them.
 */
export type Connect = (url: URL, onBytes: (bytes: Buffer) => void) => Socket;

// Resumed sessions spare a receiver the costly part of a TLS handshake.
const maxSessions = 500;
const readBytes = 64 * 1024;

/**
 * Connects to checked addresses only. Each connection looks up its host name again and connects to
 * an address of that look-up. A DNS response that changes later has no effect (DNS rebinding).
 */
export function guardedConnector(options: ConnectorOptions): Connect {
  const sessions = new LRUCache<string, Buffer>({ max: maxSessions });
  const lookup = guardedLookup(options);
  const buffer = Buffer.alloc(readBytes);
  return (url, onBytes) => {
    const host = withoutBrackets(url.hostname);
    const isAddress = isIP(host) !== 0;
    // Node does not call `lookup` for an IP address.
    if (isAddress && !options.allowPrivateNetwork && !isPublicAddress(host)) throw forbidden(host);
    const isSecure = url.protocol === 'https:';
    const onread = readInto(buffer, onBytes);
    const target = { host, port: Number(url.port) || (isSecure ? 443 : 80), lookup, onread };
    if (!isSecure) return connectTcp(target);
    const session = sessions.get(url.host);
    return connectTls({
      ...target,
      // RFC 6066 §3: the server name is never an address.
      servername: isAddress ? '' : host,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
    }).on('session', (received: Buffer) => sessions.set(url.host, received));
  };
}

/**
 * Returns the option of a socket that reads into a buffer. Without it, Node allocates a buffer for each
 * read, and passes it through a stream.
 */
export function readInto(buffer: Buffer, onBytes: (bytes: Buffer) => void): OnReadOpts {
  return {
    buffer,
    callback(length) {
      onBytes(buffer.subarray(0, length));
      return true;
    },
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
