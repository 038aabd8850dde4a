// Redirects of 10,000 links with their clicks counted, against a bare node:http server in the same
// run.
import { createVisitedLinks } from './lib/links.mjs';
import { serve, serveShorty } from './lib/processes.mjs';
import { compare, median, report, reportUpper } from './lib/ratio.mjs';
import { load, pathsScript } from './lib/wrk.mjs';

const connections = 64;

export async function benchRedirects({ seconds = 3 } = {}) {
  const bare = await serve(process.execPath, ['bench/bare-redirect.mjs']);
  const shorty = await serveShorty();
  const script = pathsScript(await createVisitedLinks(shorty, 10_000));
  const p99 = { bare: [], ours: [] };
  const measure =
    ({ origin }, latencies) =>
    async () => {
      const { perSecond, p99Ms } = await load(origin, script, { connections, seconds });
      latencies.push(p99Ms);
      return perSecond;
    };
  // Warms up both: code is compiled, and the cache is filled.
  for (const { origin } of [bare, shorty, bare, shorty]) {
    await load(origin, script, { connections, seconds: 4 });
  }
  const result = await compare({
    ceiling: measure(bare, p99.bare),
    ours: measure(shorty, p99.ours),
    runs: 11,
  });
  report(`redirects, ${connections} connections`, result, 0.6, 'a second');
  const [ours, theirs] = [median(p99.ours), median(p99.bare)];
  const detail = `${ours.toFixed(1)} ms against ${theirs.toFixed(1)} ms`;
  reportUpper(`p99 with ${connections} connections ÷ the ceiling's`, ours / theirs, 4, detail);
  await bare.stop();
  await shorty.stop();
}
