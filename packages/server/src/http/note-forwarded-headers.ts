import type { AddressRanges } from '../network/ip-address.js';
import { canonicalAddress } from '../network/ip-address.js';
import type { FirstHandler } from './create-http-server.js';

interface Warnings {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/**
 * Returns a handler that serves nothing, and logs the first request with a forwarded address from a
 * peer that is not a trusted proxy: behind such a proxy, all visitors have its address.
 */
export function noteForwardedHeaders(proxies: AddressRanges, logger: Warnings): FirstHandler {
  let isNoted = false;
  return {
    handle({ headers, socket }) {
      if (isNoted || (headers['x-forwarded-for'] ?? headers.forwarded) === undefined) return false;
      const peer = canonicalAddress(socket.remoteAddress ?? '');
      if (proxies.includes(peer)) return false;
      isNoted = true;
      logger.warn(
        { peer, setting: 'SHORTY_TRUST_PROXY' },
        'ignoring a forwarded address: if the peer is your proxy, name it in the setting',
      );
      return false;
    },
  };
}
