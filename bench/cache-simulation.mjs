// The hit rate of the link cache, and how long other nodes serve a stale link. Both are simulated
// from a seed, without a clock or a network, so that every run has the same figures. The memory of
// cached links is measured before.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { toLink } from '../packages/server/dist/redirect/link.js';
import { bytesPerLink, LinkCache } from '../packages/server/dist/redirect/link-cache.js';
import { reportUpper } from './lib/ratio.mjs';
import { randomNumbers } from './lib/visit-maker.mjs';
import { zipfRanks, zipfShare } from './lib/zipf.mjs';

export async function benchCacheSimulation({ requests = 500_000, changes = 200_000 } = {}) {
  await measureMemory({ links: 100_000, maxMb: 64 });
  // The cache is full, and evicts a link for each that it adds.
  for (const maxMb of [40, 64, 100]) await measureMemory({ links: 400_000, maxMb });
  for (const exponent of [0.8, 1, 1.2]) {
    for (const links of [1_000_000, 10_000_000, 100_000_000]) {
      await printHits({ entries: 100_000, links, exponent, requests });
    }
    await printHits({ entries: 1_000_000, links: 100_000_000, exponent, requests });
  }
  for (const changesPerSecond of [1, 100]) {
    printStaleness({ changesPerSecond, pollMs: 3, changes });
  }
  const worst = printStaleness({ changesPerSecond: 1, pollMs: 30, changes });
  reportUpper('staleness on other nodes, s, with slow polls', worst / 1000, 1, 'the maximum');
}

/** Loads links into a cache, and compares the heap that it takes with its limit. */
async function measureMemory({ links, maxMb }) {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const heapUsed = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const cache = new LinkCache({
    maxBytes: maxMb * 1024 * 1024,
    load: async (_domainId, key) => toLink(rowOf(key)),
  });
  const keyOf = (index) => toText(`link${index.toString(36).padStart(5, '0')}`);
  const before = heapUsed();
  for (let index = 0; index < links; index += 1) await cache.load(null, keyOf(index));
  const bytes = heapUsed() - before;
  let cached = 0;
  for (let index = 0; index < links; index += 1) {
    if (cache.peek(null, `/${keyOf(index)}`)) cached += 1;
  }
  console.log(
    `        ${links.toLocaleString('en')} links into ${maxMb} MB: ${cached.toLocaleString('en')} are cached, and take ${Math.round(bytes / cached)} bytes each`,
  );
  reportUpper(`heap of ${cached} links ÷ its limit`, bytes / 2 ** 20 / maxMb, 1.05, `${maxMb} MB`);
}

/** Returns a link as storage reads it: each row has its own texts. */
function rowOf(key) {
  return {
    id: Number.parseInt(key.slice(4), 36) + 1,
    organizationId: toText('0194f3c2-7b1e-7c3a-9d52-3f2b6a1c0001'),
    shortCode: key,
    customSlug: null,
    targetUrl: toText(`https://example.com/landing/${key}?ref=bench`),
    redirectType: 307,
    isActive: true,
    activatesAt: null,
    expiresAt: null,
    expiredUrl: null,
    maxClicks: null,
    passwordHash: null,
    takenDownAt: null,
    deletedAt: null,
    forwardQuery: null,
    forwardPath: null,
    rules: [],
    preview: null,
    customUtmParams: {},
    utmSource: null,
    utmMedium: null,
    utmCampaign: null,
    utmTerm: null,
    utmContent: null,
  };
}

const toText = (text) => Buffer.from(text).toString('latin1');

/**
 * Prints the hit rate of a warm cache. It is warm when it has evicted half as many entries as it holds:
 * the order of use matters from half of the entries on, so the links are then those that were used last.
 */
async function printHits({ entries, links, exponent, requests }) {
  const next = zipfRanks(links, exponent, randomNumbers(7));
  let misses = 0;
  // All entries have the same size.
  const textLength = 20;
  const cache = new LinkCache({
    maxBytes: entries * (bytesPerLink + textLength),
    async load(_domainId, key) {
      misses += 1;
      const location = ''.padEnd(textLength - `/${key}`.length);
      // Written out, because V8 makes an object from a spread one slowly: a miss would take twice as long.
      return {
        urlId: Number(key),
        location,
        passwordHash: null,
        isTakenDown: false,
        mayCloseLoop: false,
      };
    },
  });
  const readLinks = async (count, maxMisses) => {
    for (let made = 0; made < count && misses < maxMisses; made += 1) {
      const key = String(next());
      if (!cache.peek(null, `/${key}`)) await cache.load(null, key);
    }
  };
  await readLinks(Number.POSITIVE_INFINITY, 1.5 * entries);
  misses = 0;
  await readLinks(requests, requests);
  const rate = 1 - misses / requests;
  const best = zipfShare(entries, links, exponent);
  // No cache can do better than one that holds the most requested links.
  if (rate > best + 0.005) throw new Error(`the hit rate is ${rate}; at most ${best} is possible`);
  const percent = (share) => `${(share * 100).toFixed(1)} %`;
  console.log(
    `        Zipf ${exponent}, ${links / 1e6} M links, ${entries.toLocaleString('en')} entries: ${percent(rate)} hits (${percent(best)} possible); of 100,000 redirects a second ${Math.round((1 - rate) * 100_000).toLocaleString('en')} read storage`,
  );
}

// The interval of the change feed.
const pollEveryMs = 250;

/**
 * Prints how long after a commit another node evicts the changed link. A poll returns the changes that
 * were committed before its statement began. Delays have exponential distributions.
 */
function printStaleness({ changesPerSecond, pollMs, changes }) {
  const random = randomNumbers(11);
  const randomDelay = (mean) => -mean * Math.log(1 - random());
  const committed = new Float64Array(changes);
  let at = 0;
  for (let change = 0; change < changes; change += 1) {
    at += randomDelay(1000 / changesPerSecond);
    committed[change] = at;
  }

  const waits = new Float64Array(changes);
  let now = 0;
  let evicted = 0;
  while (evicted < changes) {
    const beganAt = now + pollEveryMs + randomDelay(pollMs / 3);
    now = beganAt + randomDelay((pollMs * 2) / 3);
    for (; evicted < changes && committed[evicted] <= beganAt; evicted += 1) {
      waits[evicted] = now - committed[evicted];
    }
  }

  waits.sort();
  const share = (part) => waits[Math.ceil(part * changes) - 1].toFixed(0);
  console.log(
    `        ${changesPerSecond} changes a second, ${pollMs} ms to poll: stale for ${share(0.5)} ms (median), ${share(0.99)} (99 %), ${share(1)} at most`,
  );
  return waits[changes - 1];
}
