// Redirects over 10,000 links, against a bare node:http server in the same run.

import { serve, serveShorty } from './lib/processes.mjs';
import { compare, median, report } from './lib/ratio.mjs';
import { load, pathsScript, requireWrk } from './lib/wrk.mjs';

const links = 10_000;

export async function benchRedirects({
  connections = 64,
  seconds = 3,
  runs = 11,
  bound = 0.8,
} = {}) {
  requireWrk();
  const slugs = Array.from(
    { length: links },
    (_, index) => `bench-${String(index).padStart(6, '0')}`,
  );
  const bare = await serve('bench/bare-redirect.mjs');
  const shorty = await serveShorty();
  await createLinks(shorty, slugs);

  const script = pathsScript(slugs.map((slug) => `/${slug}`));
  const measure = (origin, latencies) => async () => {
    const { perSecond, p99Ms } = await load(origin, script, { connections, seconds });
    latencies.push(p99Ms);
    return perSecond;
  };
  const bareP99 = [];
  const ourP99 = [];
  // Both warm up: compiled code, filled cache.
  for (const { origin } of [bare, shorty, bare, shorty]) {
    await load(origin, script, { connections, seconds: 4 });
  }
  const result = await compare({
    ceiling: measure(bare.origin, bareP99),
    ours: measure(shorty.origin, ourP99),
    runs,
  });
  report(`redirects, ${connections} connections`, result, bound, 'a second');
  console.log(
    `        p99 ${median(ourP99).toFixed(1)} ms against ${median(bareP99).toFixed(1)} ms`,
  );
  await bare.stop();
  await shorty.stop();
}

async function createLinks(shorty, slugs) {
  for (let start = 0; start < slugs.length; start += 100) {
    const urls = slugs.slice(start, start + 100).map((customSlug, offset) => ({
      targetUrl: `https://example.com/landing/${start + offset}?ref=bench`,
      customSlug,
    }));
    const response = await fetch(`${shorty.origin}/api/v1/urls/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${shorty.token}` },
      body: JSON.stringify({ urls }),
    });
    const { data } = await response.json();
    if (data.createdCount !== urls.length) throw new Error(JSON.stringify(data.errors[0]));
  }
}
