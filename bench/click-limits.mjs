// Redirects of links with a limit of clicks, each of which is an UPDATE, against those of the same server's
// links without one.

import { createLinks } from './lib/create-links.mjs';
import { serveShorty } from './lib/processes.mjs';
import { compare, report } from './lib/ratio.mjs';
import { load, pathsScript, requireWrk } from './lib/wrk.mjs';

const links = 1_000;

export async function benchClickLimits({
  connections = 64,
  seconds = 3,
  runs = 11,
  bound = 0.1,
} = {}) {
  requireWrk();
  const shorty = await serveShorty();
  const slugsOf = (kind) => (index) => `${kind}-${String(index).padStart(6, '0')}`;
  const measures = {};
  for (const [kind, fields] of [
    ['plain', {}],
    ['limited', { maxClicks: 1_000_000_000 }],
  ]) {
    const slugOf = slugsOf(kind);
    await createLinks(shorty, links, slugOf, fields);
    const script = pathsScript(Array.from({ length: links }, (_, index) => `/${slugOf(index)}`));
    measures[kind] = async () =>
      (await load(shorty.origin, script, { connections, seconds })).perSecond;
  }
  // Warms up both: code is compiled, and the cache is filled.
  for (const measure of [...Object.values(measures), ...Object.values(measures)]) await measure();
  const result = await compare({ ceiling: measures.plain, ours: measures.limited, runs });
  report(`redirects with maxClicks, ${connections} connections`, result, bound, 'a second');
  await shorty.stop();
}
