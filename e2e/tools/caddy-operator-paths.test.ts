import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { sendRaw } from '../../packages/server/test/api/raw-http.js';
import { startCaddy } from '../lib/caddy.js';
import { expectLongestRedirect } from '../lib/longest-redirect.js';
import { expectOperatorPathsHidden, startUpstream } from '../lib/operator-paths.js';

/** Sends a request over TLS and returns the response. */
async function sendOverTls(port: number, request: string): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: 'sho.example',
    rejectUnauthorized: false,
  });
  let response = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    response += text;
  });
  socket.write(request);
  await once(socket, 'close');
  return response;
}

test('Caddy hides the operator routes', async () => {
  const upstream = await startUpstream({ hasAdminListener: false });
  const caddy = await startCaddy(upstream.upstream, 'sho.example', upstream.admin);
  await expectOperatorPathsHidden(upstream, (target) =>
    sendOverTls(
      caddy.httpsPort,
      `GET ${target} HTTP/1.1\r\nHost: sho.example\r\nConnection: close\r\n\r\n`,
    ),
  );
  const direct = await fetch(`http://${upstream.admin}/health/ready`);
  expect(direct.status).toBe(200);
});

test('Caddy passes on the longest redirect', async () => {
  const { upstream, shorty } = await startUpstream({ hasAdminListener: false });
  const caddy = await startCaddy(upstream, 'sho.example');
  const requestOf = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: sho.example\r\nConnection: close\r\n\r\n`;
  await expectLongestRedirect(
    shorty,
    (target) => sendRaw(`http://${upstream}`, [requestOf(target)]),
    (target) => sendOverTls(caddy.httpsPort, requestOf(target)),
  );
});
