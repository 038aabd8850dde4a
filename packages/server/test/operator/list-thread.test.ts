import { expect, it } from 'vitest';
import { call, newSettings, pathOf, serveWithToken } from './server-process.js';

it('a list thread that ends is replaced: the call in flight fails with 503, and is counted', async () => {
  const settings = newSettings();
  const { token, origin } = await serveWithToken({
    ...settings,
    TEST_MARK: `${pathOf(settings)}.mark`,
    NODE_OPTIONS: `--import ${new URL('./end-list-thread.mjs', import.meta.url).href}`,
  });
  const response = await fetch(`${origin}/api/v1/urls`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('2');
  expect(await response.json()).toMatchObject({ error: { code: 'UNAVAILABLE' } });
  expect((await call(origin, token, '/urls')).status).toBe(200);
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  expect(metrics).toContain('shorty_uncaught_errors_total{source="thread"} 1\n');
  expect(metrics).toContain('shorty_unavailable_responses_total{error="ThreadError"} 1\n');
}, 60_000);
