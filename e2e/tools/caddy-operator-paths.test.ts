import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { startCaddy } from '../lib/caddy.js';
import { expectOperatorPathsHidden, startUpstream } from '../lib/operator-paths.js';

/** Sends a request over TLS and returns the response. */
async function sendOverTls(port: number, request: string): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: 'sho.example',
    rejectUnauthorized: false,
  });
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.write(request);
  await once(socket, 'close');
  return answer;
}

test.each([true, false])(
  'Caddy lets nobody reach what is for operators (SHORTY_ADMIN_LISTEN set: %s)',
  async (hasAdminListener) => {
    const upstream = await startUpstream({ hasAdminListener });
    const caddy = await startCaddy(upstream.upstream, 'sho.example', upstream.admin);
    await expectOperatorPathsHidden(upstream, (target) =>
      sendOverTls(
        caddy.httpsPort,
        `GET ${target} HTTP/1.1\r\nHost: sho.example\r\nConnection: close\r\n\r\n`,
      ),
    );
    const direct = await fetch(`http://${upstream.admin}/health/ready`);
    expect(direct.status).toBe(200);
  },
);
