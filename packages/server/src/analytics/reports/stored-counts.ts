import { deserialize, serialize } from 'node:v8';
import type { CountedClicks } from './counted-clicks.js';
import { clickDimensions, type Dimension } from './dimensions.js';
import type { Int32Pool } from './int32-pool.js';
import { KeySet, type StoredKeys } from './key-set.js';
import type { OrganizationChunk } from './organization-chunks.js';
import type { CachedClicks } from './overview-cache.js';
import { UrlVisits } from './url-visits.js';
import { ValueCounts } from './value-counts.js';

/** The version of `Stored`, and of what is counted. */
const version = 1;

interface Stored {
  readonly version: number;
  readonly organizationId: string;
  /** The numbers, counts and times of the chunks. */
  readonly chunks: Float64Array;
  readonly scans: CachedClicks['scans'];
  readonly codes: string;
  readonly count: number;
  readonly starts: Float64Array;
  readonly inBuckets: Float64Array;
  readonly uniquesInBuckets: Uint32Array;
  readonly visitorsAtEnds: ReadonlyMap<number, Int32Array>;
  /** The counts of each breakdown, by its name. */
  readonly breakdowns: readonly (readonly [name: string, [value: string, count: number][]])[];
  readonly urlIds: Float64Array;
  readonly visitsOfUrls: Float64Array;
  readonly visitors: StoredKeys;
  readonly addresses: StoredKeys;
}

const names = Object.keys(clickDimensions);

/** Returns the approximate number of bytes that `encodeCounts` returns. */
export function bytesOfStored({ visitors, addresses, visitorsAtEnds }: CountedClicks): number {
  let bytes = 9 * (visitors.size + addresses.size);
  for (const keys of visitorsAtEnds.values()) bytes += keys.byteLength;
  return bytes;
}

/** Encodes counts for storage. */
export function encodeCounts({
  organizationId,
  clicks,
  chunks,
  scans,
  codes,
}: CachedClicks): Uint8Array {
  const urls: [number, number][] = [];
  clicks.urls.forEach((urlId, visits) => {
    urls.push([urlId, visits]);
  });
  const { count, starts, inBuckets, uniquesInBuckets, visitorsAtEnds } = clicks;
  const stored: Stored = {
    version,
    organizationId,
    chunks: Float64Array.from(
      chunks.flatMap((each) => [each.number, each.visit_count, each.first_at, each.last_at]),
    ),
    scans,
    codes,
    count,
    starts,
    inBuckets,
    uniquesInBuckets,
    visitorsAtEnds,
    breakdowns: clicks.breakdowns.map((counts, at) => [names[at] as string, [...counts.entries()]]),
    urlIds: Float64Array.from(urls, ([urlId]) => urlId),
    visitsOfUrls: Float64Array.from(urls, ([, visits]) => visits),
    visitors: clicks.visitors.toStored(),
    addresses: clicks.addresses.toStored(),
  };
  return serialize(stored);
}

/** Decodes stored counts. Returns undefined if another version of the server wrote them. */
export function decodeCounts(bytes: Uint8Array, pool: Int32Pool): CachedClicks | undefined {
  const stored = deserializeUnlessForeign(bytes);
  if (stored?.version !== version) return undefined;
  if (stored.breakdowns.map(([name]) => name).join() !== names.join()) return undefined;
  const { organizationId, scans, codes, count } = stored;
  const chunks: OrganizationChunk[] = [];
  for (let at = 0; at < stored.chunks.length; at += 4) {
    const [number = 0, visit_count = 0, first_at = 0, last_at = 0] = stored.chunks.subarray(at);
    chunks.push({ number, visit_count, first_at, last_at });
  }
  const breakdowns = Object.values<Dimension>(clickDimensions).map(({ maxValues }, at) => {
    const counts = new ValueCounts<string>(maxValues);
    for (const [value, visits] of stored.breakdowns[at]?.[1] ?? []) counts.add(value, visits);
    return counts;
  });
  const urls = new UrlVisits();
  for (const [at, urlId] of stored.urlIds.entries()) {
    urls.add(urlId, stored.visitsOfUrls[at] as number);
  }
  const visitors = KeySet.fromStored(pool, stored.visitors);
  let addresses: KeySet;
  try {
    addresses = KeySet.fromStored(pool, stored.addresses);
  } catch (error) {
    visitors.release();
    throw error;
  }
  const clicks: CountedClicks = {
    count,
    // Copies, because the arrays share the memory of all bytes.
    starts: stored.starts.slice(),
    inBuckets: stored.inBuckets.slice(),
    uniquesInBuckets: stored.uniquesInBuckets.slice(),
    visitorsAtEnds: new Map(
      Array.from(stored.visitorsAtEnds, ([bucket, keys]) => [bucket, keys.slice()]),
    ),
    breakdowns,
    urls,
    visitors,
    addresses,
  };
  return { organizationId, clicks, chunks, scans, codes };
}

function deserializeUnlessForeign(bytes: Uint8Array): Stored | undefined {
  try {
    return deserialize(bytes);
  } catch {
    return undefined;
  }
}
