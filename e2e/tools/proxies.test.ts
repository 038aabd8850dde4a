import { once } from 'node:events';
import { connect } from 'node:tls';
import type { Shorty } from '@shorty/sdk';
import { describe, expect, it, test } from 'vitest';
import { sendRaw } from '../../packages/server/test/api/raw-http.js';
import { startCaddy } from '../lib/caddy.js';
import { startNginx } from '../lib/nginx.js';
import { expectOperatorPathsHidden, startUpstream } from '../lib/operator-paths.js';

/** Sends a request over TLS and returns the response. */
async function sendOverTls(port: number, request: string): Promise<string> {
  const host = { host: '127.0.0.1', servername: 'sho.example', rejectUnauthorized: false };
  const socket = connect({ ...host, port });
  let response = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    response += text;
  });
  socket.write(request);
  await once(socket, 'close');
  return response;
}

type Send = (target: string) => Promise<string>;

/** Expects a proxy to pass on the longest Location that the server can answer, and its request. */
async function expectLongestRedirect(shorty: Shorty, direct: Send, proxied: Send) {
  const start = 'https://example.com/';
  const long = '🌷'.repeat(512);
  await shorty.urls.create({
    // In the Location, each of the 8,192 bytes takes three characters.
    targetUrl: start + 'é'.repeat((8_192 - start.length) / 2),
    customSlug: 'longest',
    ...{ utmSource: long, utmMedium: long, utmCampaign: long, utmTerm: long, utmContent: long },
    customUtmParams: Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`${at + 10}${'🌷'.repeat(510)}`, long]),
    ),
    forwardQuery: true,
    forwardPath: true,
  });
  // Caddy escapes other characters of a path, which makes it longer than what Shorty forwards.
  const target = `/longest/${'a'.repeat(8_191)}?${'"'.repeat(8_192)}`;
  const expected = locationOf(await direct(target));
  expect(expected.length).toBeGreaterThan(700_000);
  expect(locationOf(await proxied(target)) === expected).toBe(true);
}

function locationOf(response: string): string {
  expect(response.slice(0, 12)).toBe('HTTP/1.1 307');
  return /\r\nlocation: (.*)\r\n/i.exec(response)?.[1] ?? '';
}

const requestOf = (target: string) =>
  `GET ${target} HTTP/1.1\r\nHost: sho.example\r\nConnection: close\r\n\r\n`;
const sendTo = (host: string) => (target: string) => sendRaw(`http://${host}`, [requestOf(target)]);

const proxies = {
  async Caddy(upstream: string) {
    const { httpsPort } = await startCaddy(upstream, 'sho.example');
    return (target: string) => sendOverTls(httpsPort, requestOf(target));
  },
  async nginx(upstream: string) {
    const { port } = await startNginx(upstream);
    return sendTo(`127.0.0.1:${port}`);
  },
};

describe.each(Object.entries(proxies))('%s', (_, start) => {
  it('hides the operator routes, and passes on the longest redirect', async () => {
    const upstream = await startUpstream();
    const send = await start(upstream.upstream);
    await expectOperatorPathsHidden(upstream, send);
    const direct = await fetch(`http://${upstream.upstream}/health/ready`);
    expect(direct.status).toBe(200);
    await expectLongestRedirect(upstream.shorty, sendTo(upstream.upstream), send);
  });
});

test('nginx passes on bodies of more than 1 MB, which only the API limits', async () => {
  const { upstream } = await startUpstream();
  // In memory, because the user of nginx may not write to the folder of the test.
  const { port } = await startNginx(upstream, 'client_body_buffer_size 8m;');
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/urls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ targetUrl: 'https://example.com/', title: 'x'.repeat(3_900_000) }),
  });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
});
