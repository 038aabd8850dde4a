import { Shorty } from '@shorty/sdk';
import { createServer } from '@shorty/server';
import { expect, onTestFinished } from 'vitest';
import {
  absoluteVariants,
  pathVariants,
} from '../../packages/server/test/hardening/path-variants.js';
import { freePort } from './processes.js';

const operatorPaths = [
  '/metrics',
  '/health/live',
  '/health/ready',
  '/internal/tls-allowed?domain=sho.example',
];
const operations = ['getMetrics', 'getLiveness', 'getReadiness', 'getTlsAllowed'];

/** Starts a server to put behind a proxy. */
export async function startUpstream() {
  const port = await freePort();
  const server = createServer({ port, baseUrl: 'https://sho.example' });
  await server.start();
  onTestFinished(() => server.stop());
  const origin = `http://127.0.0.1:${port}`;
  const { clientId = '', clientSecret = '' } = server.credentials ?? {};
  return {
    upstream: `127.0.0.1:${port}`,
    shorty: new Shorty({ baseUrl: origin, clientId, clientSecret }),
    /** Returns the number of requests that reached operator routes. Each call adds one. */
    async countOperatorRequests(): Promise<number> {
      const text = await (await fetch(`${origin}/metrics`)).text();
      const samples = text.matchAll(/^shorty_api_requests_total\{operation="(\w+)",.*\} (\d+)$/gm);
      return [...samples]
        .filter(([, operation = '']) => operations.includes(operation))
        .reduce((sum, [, , count]) => sum + Number(count), 0);
    },
  };
}

type Upstream = Awaited<ReturnType<typeof startUpstream>>;

/**
 * Sends the operator paths, and all variants that a parser could normalize to them, through a proxy.
 * Asserts that links still work and that no such request reaches an operator route.
 */
export async function expectOperatorPathsHidden(
  { shorty, countOperatorRequests }: Upstream,
  send: (target: string) => Promise<string>,
): Promise<void> {
  const { shortCode } = await shorty.urls.create({ targetUrl: 'https://example.com/through' });
  for (const target of [`/${shortCode}`, `/${shortCode}/`, `/${shortCode}?a=b`]) {
    expect([target, await send(target)]).toEqual([
      target,
      expect.stringMatching(
        /^HTTP\/1\.1 307 [\s\S]*\r\nlocation: https:\/\/example\.com\/through\r\n/i,
      ),
    ]);
  }
  const before = await countOperatorRequests();
  const targets = operatorPaths.flatMap((each) => {
    const [path = '', query] = each.split('?');
    const search = query === undefined ? '' : `?${query}`;
    return [
      path,
      `${path}?${query ?? 'x=1'}`,
      `http://sho.example${each}`,
      `http://other.example${each}`,
      ...pathVariants(path).map((variant) =>
        variant.includes('?') ? variant : variant.replace(/(#|$)/, `${search}$1`),
      ),
      ...absoluteVariants(path, 'http://sho.example'),
    ];
  });
  expect(targets.length).toBeGreaterThan(400);
  for (let at = 0; at < targets.length; at += 20) {
    await Promise.all(
      targets.slice(at, at + 20).map(async (target) => {
        const response = await send(target);
        const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(response)?.[1]);
        // A proxy may redirect to the normalized path, which it rejects.
        expect([target, [301, 307, 308, 400, 404].includes(status)]).toEqual([target, true]);
        expect([target, response]).toEqual([
          target,
          expect.not.stringMatching(/shorty_visits_total|"status":"ok"|"domain":/),
        ]);
      }),
    );
  }
  expect((await countOperatorRequests()) - before).toBe(1);
}
