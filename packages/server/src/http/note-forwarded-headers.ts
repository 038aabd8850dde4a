import type { AddressRanges } from '../network/ip-address.js';
import { canonicalAddress } from '../network/ip-address.js';
import type { Clock } from '../ports.js';
import type { FirstHandler } from './create-http-server.js';

interface Warnings {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

interface Options {
  readonly proxies: AddressRanges;
  readonly clock: Clock;
  readonly logger: Warnings;
}

const repeatAfterMs = 60 * 60_000;
// Strangers can send the header, too. A proxy sends it with each request, so it is among the first
// peers of an hour.
const maxPeers = 10;

/**
 * Returns a handler that serves nothing, and logs each peer that sends a forwarded address and is not a
 * trusted proxy, once an hour: behind such a proxy, all visitors have its address.
 */
export function noteForwardedHeaders({ proxies, clock, logger }: Options): FirstHandler {
  const noted = new Set<string>();
  let since = Number.NEGATIVE_INFINITY;
  return {
    handle({ headers, socket }) {
      if ((headers['x-forwarded-for'] ?? headers.forwarded) === undefined) return false;
      if (clock() - since >= repeatAfterMs) {
        noted.clear();
        since = clock();
      }
      if (noted.size >= maxPeers) return false;
      const peer = canonicalAddress(socket.remoteAddress ?? '');
      if (noted.has(peer) || proxies.includes(peer)) return false;
      noted.add(peer);
      logger.warn(
        { peer, setting: 'SHORTY_TRUST_PROXY' },
        'ignoring a forwarded address: if the peer is your proxy, name it in the setting',
      );
      return false;
    },
  };
}
