// Calls of the SDK, one after the other, against bare fetch; and calls through `@shorty/sdk/node`. First
// with a running server, as users have it; then the processor time of the client alone, with recorded
// responses, because most of the time of the first is the server's and the system's.
import { Shorty } from '../packages/sdk/dist/index.js';
import { nodeFetch } from '../packages/sdk/dist/node.js';
import { serve, serveShorty } from './lib/processes.mjs';
import { compare, reportAtMost, reportWithoutVerdict } from './lib/ratio.mjs';

export async function benchSdk({ calls = 300, runs = 15 } = {}) {
  const server = await serveShorty();
  const urls = new Shorty({ baseUrl: server.origin, accessToken: server.token }).urls;
  const { id } = await urls.create({ targetUrl: 'https://example.com/bench' });
  const live = await clientsOf(server, id, (call) => microsecondsOf(calls, call));
  const unit = 'µs a call';
  const overFetch = await compare({ ceiling: live.bare, ours: live.ours, runs });
  reportAtMost('SDK call ÷ bare fetch', overFetch, 1.1, unit);
  const throughPool = await compare({ ceiling: live.ours, ours: live.pooled, runs });
  reportAtMost('@shorty/sdk/node ÷ the default fetch', throughPool, 0.9, unit);
  await live.close();
  await server.stop();

  const recorded = await serve('bench/recorded-server.mjs');
  const client = await clientsOf({ ...recorded, token: 'token' }, id, (call) =>
    processorTimeOf(calls, call),
  );
  const reason = 'the bound is for whole calls';
  const alone = 'µs of processor time a call';
  const names = { careful: 'fetch with a time limit', bare: 'bare fetch' };
  for (const [name, label] of Object.entries(names)) {
    const result = await compare({ ceiling: client[name], ours: client.ours, runs });
    reportWithoutVerdict(`client of the SDK ÷ ${label}`, result, 1.1, alone, reason);
  }
  const pooled = await compare({ ceiling: client.ours, ours: client.pooled, runs });
  reportWithoutVerdict('client of @shorty/sdk/node ÷ the default', pooled, 0.9, alone, reason);
  await client.close();
  await recorded.stop();
}

/** Returns the measurements of a read of one link, in four ways. */
async function clientsOf({ origin, token }, id, measure) {
  const options = { baseUrl: origin, accessToken: token };
  const shorty = new Shorty(options);
  const pool = nodeFetch();
  const pooled = new Shorty({ ...options, fetch: pool.fetch });
  const address = `${origin}/api/v1/urls/${id}`;
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  const read = async (init) => {
    const response = await fetch(address, { headers, ...init });
    if (!response.ok) throw new Error(`${response.status}`);
    return (await response.json()).data;
  };
  const ways = {
    bare: () => read(),
    careful: () => read({ signal: AbortSignal.timeout(30_000), redirect: 'manual' }),
    ours: () => shorty.urls.get(id),
    pooled: () => pooled.urls.get(id),
  };
  // V8 has compiled the code of all of them after that many calls.
  for (const call of Object.values(ways)) for (let turn = 0; turn < 3_000; turn += 1) await call();
  const measured = Object.entries(ways).map(([name, call]) => [name, () => measure(call)]);
  return { ...Object.fromEntries(measured), close: () => pool.close() };
}

/** Returns the time of a call, with one in flight. */
async function microsecondsOf(count, call) {
  const startedAt = performance.now();
  for (let turn = 0; turn < count; turn += 1) await call();
  return ((performance.now() - startedAt) * 1000) / count;
}

/** Returns the processor time that this process needs for a call, with one in flight. */
async function processorTimeOf(count, call) {
  const before = process.cpuUsage();
  for (let turn = 0; turn < count; turn += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
