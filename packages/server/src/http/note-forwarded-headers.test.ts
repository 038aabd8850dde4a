import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { parseAddressRanges } from '../network/ip-address.js';
import { noteForwardedHeaders } from './note-forwarded-headers.js';

function openHandler(trusted: string) {
  const peers: unknown[] = [];
  const warn = ({ peer }: { peer?: unknown }) => peers.push(peer);
  const handler = noteForwardedHeaders(parseAddressRanges(trusted), { warn });
  return {
    peers,
    request(remoteAddress: string, headers: object = { 'x-forwarded-for': '203.0.113.9' }) {
      const request = { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
      expect(handler(request, {} as ServerResponse)).toBe(false);
    },
  };
}

it('names each peer that is no trusted proxy, also after a stranger has sent the header', () => {
  const { peers, request } = openHandler('10.0.0.1');
  request('198.51.100.1', {});
  request('10.0.0.1');
  request('198.51.100.7', { forwarded: 'for=203.0.113.9' });
  request('::ffff:10.0.0.2');
  request('10.0.0.2');
  expect(peers).toEqual(['198.51.100.7', '10.0.0.2']);
});
