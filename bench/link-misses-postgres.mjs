// Redirects of links that the cache does not have, on PostgreSQL, against those of cached links. The
// server under test caches 1 MB of 100,000 links, so more than nine of ten redirects read their link.
import { createLinks } from './lib/create-links.mjs';
import { serveNode, startDefaultPostgres } from './lib/postgres.mjs';
import { compare, report } from './lib/ratio.mjs';
import { load, pathsScript, requireWrk } from './lib/wrk.mjs';

export async function benchLinkMissesPostgres({
  links = 100_000,
  connections = 64,
  seconds = 3,
  runs = 11,
  bound = 0.3,
} = {}) {
  requireWrk();
  const postgres = await startDefaultPostgres();
  await postgres.createDatabase('bench');
  const databaseUrl = postgres.urlOf('bench');
  const hits = await serveNode(databaseUrl, { SHORTY_LINK_CACHE_MB: '256' });
  const misses = await serveNode(databaseUrl, { SHORTY_LINK_CACHE_MB: '1' });
  const slugs = Array.from({ length: links }, (_, index) => `bench-${index}`);
  await createLinks(hits, links, (index) => slugs[index]);
  const script = pathsScript(slugs.map((slug) => `/${slug}`));
  const rateOf = async ({ origin }, duration = seconds) =>
    (await load(origin, script, { connections, seconds: duration })).perSecond;
  // Fills the large cache.
  await rateOf(hits, 20);
  await rateOf(misses);
  const result = await compare({
    ceiling: () => rateOf(hits),
    ours: () => rateOf(misses),
    runs,
  });
  const name = 'redirects of links that are not cached on PostgreSQL ÷ of cached links';
  report(name, result, bound, 'redirects a second');
  await hits.stop();
  await misses.stop();
  await postgres.stop();
}
