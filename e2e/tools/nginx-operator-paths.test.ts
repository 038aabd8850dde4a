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
