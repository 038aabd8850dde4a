import { expect, test } from 'vitest';
import { sendRaw } from '../../packages/server/test/api/raw-http.js';
import { startNginx } from '../lib/nginx.js';
import { expectOperatorPathsHidden, startUpstream } from '../lib/operator-paths.js';

test.each([true, false])(
  'nginx hides the operator routes (SHORTY_ADMIN_LISTEN set: %s)',
  async (hasAdminListener) => {
    const upstream = await startUpstream({ hasAdminListener });
    const { port } = await startNginx(upstream.upstream);
    await expectOperatorPathsHidden(upstream, (target) =>
      sendRaw(`http://127.0.0.1:${port}`, [
        `GET ${target} HTTP/1.1\r\nHost: sho.example\r\nConnection: close\r\n\r\n`,
      ]),
    );
    const direct = await fetch(`http://${upstream.admin}/health/ready`);
    expect(direct.status).toBe(200);
  },
);

test('nginx passes on bodies of more than 1 MB, which only the API limits', async () => {
  const { upstream } = await startUpstream({ hasAdminListener: false });
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
