// What the link cache keeps away from storage, and for how long a node goes on with what another has
// changed. Both are simulated from a seed: no clock, no network, the same figures in every run.
import { ClockCache } from '../packages/server/dist/redirect/clock-cache.js';
import { reportUpper } from './lib/ratio.mjs';
import { randomNumbers } from './lib/visit-maker.mjs';
import { zipfRanks, zipfShare } from './lib/zipf.mjs';

export async function benchCacheSimulation({ requests = 1_000_000, changes = 200_000 } = {}) {
  for (const exponent of [0.8, 1, 1.2]) {
    for (const links of [1_000_000, 10_000_000, 100_000_000]) {
      printHits({ entries: 100_000, links, exponent, requests });
    }
    printHits({ entries: 1_000_000, links: 100_000_000, exponent, requests });
  }
  for (const changesPerSecond of [1, 100]) {
    for (const lost of [0, 0.01, 0.1, 1]) {
      printStaleness({ changesPerSecond, lost, notificationMs: 2, lookMs: 3, changes });
    }
  }
  const worst = printStaleness({
    changesPerSecond: 1,
    lost: 1,
    notificationMs: 50,
    lookMs: 30,
    changes,
  });
  reportUpper(
    'staleness on other nodes, s, with slow looks and every notification lost',
    worst / 1000,
    1,
    'the longest',
  );
}

/** How many of so many requests find their link in the cache, once it has been filled twice over. */
function printHits({ entries, links, exponent, requests }) {
  const next = zipfRanks(links, exponent, randomNumbers(7));
  let evicted = 0;
  const cache = new ClockCache(entries, () => {
    evicted += 1;
  });
  const ask = () => {
    const rank = next();
    if (cache.get(rank) !== undefined) return true;
    cache.set(rank, rank);
    return false;
  };
  let warming = 0;
  while (evicted < 2 * entries && warming < maxWarming) {
    ask();
    warming += 1;
  }
  let hits = 0;
  for (let made = 0; made < requests; made += 1) if (ask()) hits += 1;
  const rate = hits / requests;
  const best = zipfShare(entries, links, exponent);
  // A cache cannot know the future; what does better than knowing the ranks has been measured wrong.
  if (rate > best + 0.005) throw new Error(`${rate} of hits where ${best} are possible`);
  const percent = (share) => `${(share * 100).toFixed(1)} %`;
  console.log(
    `        Zipf ${exponent}, ${links / 1e6} M links, ${entries.toLocaleString('en')} entries: ${percent(rate)} of hits (${percent(best)} at best); of 100,000 redirects a second ${Math.round((1 - rate) * 100_000).toLocaleString('en')} read storage`,
  );
}

const maxWarming = 20_000_000;

// As the change feed does it.
const lookEveryMs = 500;

/**
 * How long after its commit another node forgets what has changed. It looks when it is notified, and
 * half a second after its last look; a look takes a while, and sees what was committed when its
 * statement began. Delays are exponential around their means.
 */
function printStaleness({ changesPerSecond, lost, notificationMs, lookMs, changes }) {
  const random = randomNumbers(11);
  const about = (mean) => -mean * Math.log(1 - random());
  const committed = new Float64Array(changes);
  const rings = [];
  let at = 0;
  for (let change = 0; change < changes; change += 1) {
    at += about(1000 / changesPerSecond);
    committed[change] = at;
    if (random() >= lost) rings.push(at + about(notificationMs));
  }
  rings.sort((a, b) => a - b);

  const waits = new Float64Array(changes);
  let now = 0;
  let seen = 0;
  let ring = 0;
  while (seen < changes) {
    const beganAt = now + about(lookMs / 3);
    now = beganAt + about((lookMs * 2) / 3);
    for (; seen < changes && committed[seen] <= beganAt; seen += 1) {
      waits[seen] = now - committed[seen];
    }
    // Who rings while it looks makes it look again at once.
    let isRung = false;
    for (; ring < rings.length && rings[ring] <= now; ring += 1) isRung = true;
    if (isRung) continue;
    const next = rings[ring] ?? Number.POSITIVE_INFINITY;
    if (next < now + lookEveryMs) ring += 1;
    now = Math.min(next, now + lookEveryMs);
  }

  waits.sort();
  const share = (part) => waits[Math.ceil(part * changes) - 1].toFixed(0);
  console.log(
    `        ${changesPerSecond} changes a second, ${lost * 100} % of notifications lost, ${notificationMs} ms to be notified, ${lookMs} ms to look: stale for ${share(0.5)} ms (median), ${share(0.99)} (99 %), ${share(1)} at most`,
  );
  return waits[changes - 1];
}
