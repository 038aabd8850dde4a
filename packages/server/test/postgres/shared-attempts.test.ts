import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAddressRanges } from '../../src/network/ip-address.js';
import type { ApiResponse } from '../api/api-response.js';
import { type Node, startTwoNodes, type TwoNodes } from './two-nodes.js';

describe('two nodes', () => {
  let pair: TwoNodes;
  let nodes: readonly [Node, Node];
  beforeAll(async () => {
    pair = await startTwoNodes({ trustedProxies: parseAddressRanges('127.0.0.1, ::1') });
    nodes = pair.nodes;
  });
  afterAll(() => pair.stop());

  const statusesOf = (responses: readonly ApiResponse[]) => {
    const counts: Record<number, number> = {};
    for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  it('compare ten wrong passwords of an address together', async () => {
    const body = { targetUrl: 'https://example.com/', isPasswordProtected: true, password: 'x' };
    const { shortCode } = (await nodes[0].call('createUrl', { body })).data;
    const guess = (node: Node, password: string, address: string) =>
      node.visit(`/${shortCode}`, {
        method: 'POST',
        headers: { accept: 'application/json', 'x-forwarded-for': address },
        body: new URLSearchParams({ password }),
      });
    // Correct ones do not count.
    for (const node of Array.from({ length: 6 }, () => nodes).flat()) {
      expect((await guess(node, 'x', '192.0.2.1')).status).toBe(303);
    }
    const guesses = Array.from({ length: 15 }, () =>
      nodes.map((node) => guess(node, 'wrong', '192.0.2.1')),
    );
    expect(statusesOf(await Promise.all(guesses.flat()))).toEqual({ 401: 10, 429: 20 });
    for (const node of nodes) {
      const refused = await guess(node, 'x', '192.0.2.1');
      expect(refused.outcome).toBe('429 RATE_LIMITED');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
      expect((await guess(node, 'x', '192.0.2.2')).status).toBe(303);
    }
  });

  it('compare thirty wrong secrets of an address together', async () => {
    const ask = (node: Node) =>
      node.visit('/api/v1/auth/token', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.3' },
        body: JSON.stringify({ clientId: 'unknown', clientSecret: 'wrong' }),
      });
    const attempts = Array.from({ length: 25 }, () => nodes.map(ask));
    expect(statusesOf(await Promise.all(attempts.flat()))).toEqual({ 401: 30, 429: 20 });
  });
});
