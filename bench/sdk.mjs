// Calls of the SDK, one after the other, against bare fetch; and calls through `@shorty/sdk/node`.
import { Shorty } from '../packages/sdk/dist/index.js';
import { nodeFetch } from '../packages/sdk/dist/node.js';
import { serveShorty } from './lib/processes.mjs';
import { compare, reportAtMost } from './lib/ratio.mjs';

export async function benchSdk({ calls = 300, runs = 15 } = {}) {
  const { origin, token, stop } = await serveShorty();
  const options = { baseUrl: origin, accessToken: token };
  const shorty = new Shorty(options);
  const pool = nodeFetch();
  const pooled = new Shorty({ ...options, fetch: pool.fetch });
  const { id } = await shorty.urls.create({ targetUrl: 'https://example.com/bench' });
  const address = `${origin}/api/v1/urls/${id}`;
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };

  const bare = () =>
    microsecondsOf(calls, async () => (await (await fetch(address, { headers })).json()).data);
  const ours = () => microsecondsOf(calls, () => shorty.urls.get(id));
  const oursPooled = () => microsecondsOf(calls, () => pooled.urls.get(id));
  // The first calls compile the code.
  for (const warmUp of [bare, ours, oursPooled]) await warmUp();

  const unit = 'µs a call';
  reportAtMost('SDK call ÷ bare fetch', await compare({ ceiling: bare, ours, runs }), 1.1, unit);
  const throughPool = await compare({ ceiling: ours, ours: oursPooled, runs });
  reportAtMost('@shorty/sdk/node ÷ the default fetch', throughPool, 0.9, unit);
  await pool.close();
  await stop();
}

/** Returns the time of a call, with one in flight. */
async function microsecondsOf(count, call) {
  const startedAt = performance.now();
  for (let turn = 0; turn < count; turn += 1) await call();
  return ((performance.now() - startedAt) * 1000) / count;
}
