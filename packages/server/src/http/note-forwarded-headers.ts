import type { Logger } from 'pino';
import { type AddressRanges, canonicalAddress } from '../network/ip-address.js';
import type { FirstHandler } from './create-http-server.js';

// Strangers can send the header, too. A proxy sends it with each request, so it is among the first.
const maxPeers = 10;

/**
 * Returns a handler that serves nothing, and logs once each peer that sends a forwarded address and is not
 * a trusted proxy: behind such a proxy, all visitors have its address.
 */
export function noteForwardedHeaders(
  proxies: AddressRanges,
  logger: Pick<Logger, 'warn'>,
): FirstHandler {
  const noted = new Set<string>();
  return ({ headers, socket }) => {
    const forwarded = headers['x-forwarded-for'] ?? headers.forwarded;
    if (forwarded === undefined || noted.size >= maxPeers) return false;
    const peer = canonicalAddress(socket.remoteAddress ?? '');
    if (noted.has(peer) || proxies.includes(peer)) return false;
    noted.add(peer);
    logger.warn(
      { peer, setting: 'SHORTY_TRUST_PROXY' },
      'ignoring a forwarded address: if the peer is your proxy, name it in the setting',
    );
    return false;
  };
}
