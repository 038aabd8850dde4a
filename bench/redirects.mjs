// Redirects of 10,000 links with their clicks counted, against a bare node:http server in the same
// run.

import { createLinks } from './lib/create-links.mjs';
import { serve, serveShorty } from './lib/processes.mjs';
import { compare, median, report, reportUpper } from './lib/ratio.mjs';
import { load, pathsScript, requireWrk } from './lib/wrk.mjs';

const links = 10_000;

export async function benchRedirects({
  connections = 64,
  seconds = 3,
  runs = 11,
  bound = 0.6,
} = {}) {
  requireWrk();
  const slugs = Array.from(
    { length: links },
    (_, index) => `bench-${String(index).padStart(6, '0')}`,
  );
  const bare = await serve('bench/bare-redirect.mjs');
  const shorty = await serveShorty();
  await createLinks(shorty, links, (index) => slugs[index]);

  const script = pathsScript(slugs.map((slug) => `/${slug}`));
  const measure = (origin, latencies) => async () => {
    const { perSecond, p99Ms } = await load(origin, script, { connections, seconds });
    latencies.push(p99Ms);
    return perSecond;
  };
  const bareP99 = [];
  const ourP99 = [];
  // Warms up both: code is compiled, and the cache is filled.
  for (const { origin } of [bare, shorty, bare, shorty]) {
    await load(origin, script, { connections, seconds: 4 });
  }
  const result = await compare({
    ceiling: measure(bare.origin, bareP99),
    ours: measure(shorty.origin, ourP99),
    runs,
  });
  report(`redirects, ${connections} connections`, result, bound, 'a second');
  reportUpper(
    `p99 with ${connections} connections ÷ the ceiling's`,
    median(ourP99) / median(bareP99),
    4,
    `${median(ourP99).toFixed(1)} ms against ${median(bareP99).toFixed(1)} ms`,
  );
  await bare.stop();
  await shorty.stop();
}
