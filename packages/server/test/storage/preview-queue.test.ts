import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FetchedPreview } from '../../src/previews/fetch-preview.js';
import { type ClaimedTarget, PreviewQueue } from '../../src/previews/preview-queue.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { patchUrl } from '../../src/urls/change-url.js';
import type { UrlUpdateRequest } from '../../src/urls/url-contract.js';
import { now, openRepository, type Stored } from './temporary-database.js';

const minuteMs = 60_000;
const failure: FetchedPreview = { error: 'The target responded with 503', isFinal: false };
const success: FetchedPreview = {
  preview: { title: 'Title', description: null, imageUrl: null },
};

let stored: Stored;
let queue: PreviewQueue;
beforeAll(async () => {
  stored = await openRepository();
  queue = new PreviewQueue(stored.database);
});
afterAll(() => stored.close());

async function addLinks(count: number, preview: 'auto' | null = 'auto') {
  const organizationId = await stored.addOrganization('enterprise');
  const drafts = Array.from({ length: count }, () => ({ preview }));
  const outcomes = await stored.create(organizationId, drafts);
  const ids = outcomes.map((outcome) => ('id' in outcome ? outcome.id : 0));
  return {
    organizationId,
    ids,
    find: (id = ids[0] as number) => stored.urls.get(organizationId, id),
  };
}

async function change(organizationId: string, id: number, patch: UrlUpdateRequest, at: number) {
  await stored.urls.updateMany(
    [id],
    (url) => patchUrl(url, patch, null, at),
    () => null,
    { organizationId, now: at, write: undefined },
  );
}

/** Claims what is due, and settles it, so that no link waits any more. */
async function finishAll(at: number): Promise<ClaimedTarget[]> {
  const all: ClaimedTarget[] = [];
  for (;;) {
    const claims = await queue.claim(at, 100, 100);
    if (claims.length === 0) return all;
    for (const claim of claims) await queue.settle(claim, success, at);
    all.push(...claims);
  }
}

it('claims each target once, on any number of servers, and again when the lease is over', async () => {
  const { ids } = await addLinks(20);
  await addLinks(5, null);
  const other = openStorage({ databaseUrl: stored.databaseUrl, durability: 'process' });
  try {
    const queues = [queue, new PreviewQueue(other), new PreviewQueue(other)];
    const claims = (await Promise.all(queues.map((each) => each.claim(now, 100, 100)))).flat();
    expect(claims.map(({ urlId }) => urlId).sort()).toEqual([...ids].sort());
    expect(await queue.claim(now + minuteMs - 1, 100, 100)).toEqual([]);
    const again = await queue.claim(now + minuteMs, 100, 100);
    expect(again.map(({ urlId, attempts }) => [urlId, attempts])).toEqual(ids.map((id) => [id, 2]));
    // The first server is slow. The claim is another one's.
    expect(await queue.settle(claims[0] as ClaimedTarget, success, now + minuteMs)).toBe(false);
    for (const claim of again)
      expect(await queue.settle(claim, success, now + minuteMs)).toBe(true);
    expect(await queue.claim(now + 999 * minuteMs, 100, 100)).toEqual([]);
  } finally {
    await other.close();
  }
});

it('reads a target that fails three times more, each time later', async () => {
  const { find } = await addLinks(1);
  let at = now;
  for (const waitMs of [minuteMs, 10 * minuteMs, 60 * minuteMs]) {
    const [claim] = await queue.claim(at, 100, 100);
    await queue.settle(claim as ClaimedTarget, failure, at);
    expect((await find()).previewDueAt).toBe(at + waitMs);
    at += waitMs;
    expect(await queue.claim(at - 1, 100, 100)).toEqual([]);
  }
  const [last] = await queue.claim(at, 100, 100);
  expect(last?.attempts).toBe(4);
  await queue.settle(last as ClaimedTarget, failure, at);
  expect(await find()).toMatchObject({
    previewDueAt: null,
    previewFetch: { attempts: 4, last: { at, result: { error: failure.error } } },
  });
});

it('gives a target up whose attempts end the process', async () => {
  const { find } = await addLinks(1);
  for (let killed = 0; killed < 4; killed += 1) {
    expect(await queue.claim(now + killed * minuteMs, 100, 100)).toHaveLength(1);
  }
  expect(await queue.claim(now + 4 * minuteMs, 100, 100)).toEqual([]);
  expect(await find()).toMatchObject({
    previewDueAt: null,
    previewFetch: { last: { result: { error: expect.stringContaining('interrupted') } } },
  });
});

it('stores nothing for a link whose target or preview has changed meanwhile', async () => {
  const { organizationId, ids, find } = await addLinks(2);
  const claims = await queue.claim(now, 100, 100);
  const [moved, removed] = ids as [number, number];
  const targetUrl = 'https://example.com/other';
  await change(organizationId, moved, { targetUrl }, now + 1);
  await change(organizationId, removed, { preview: null }, now + 1);
  for (const claim of claims) expect(await queue.settle(claim, success, now + 2)).toBe(false);
  expect(await find(moved)).toMatchObject({ previewFetch: null, previewDueAt: now + 1 });
  expect(await find(removed)).toMatchObject({ previewFetch: null, previewDueAt: null });
  expect(await finishAll(now + 2)).toMatchObject([{ urlId: moved, targetUrl, attempts: 1 }]);
});

it('changes neither the version of the link nor a change of its owner', async () => {
  const { organizationId, ids, find } = await addLinks(1);
  const [claim] = await queue.claim(now, 100, 100);
  await change(organizationId, ids[0] as number, { title: 'New' }, now + 1);
  expect(await queue.settle(claim as ClaimedTarget, success, now + 2)).toBe(true);
  expect(await find()).toMatchObject({ title: 'New', updatedAt: now + 1, previewDueAt: null });
});

it('lets organizations take turns, and waits for those that are suspended', async () => {
  const [many, few, suspended] = [await addLinks(10), await addLinks(2), await addLinks(1)];
  const suspend = (suspendedAt: number | null) =>
    stored.database.writeDirectly((transaction) =>
      transaction
        .updateTable('organizations')
        .set({ suspended_at: suspendedAt })
        .where('id', '=', suspended.organizationId)
        .execute(),
    );
  await suspend(now);
  const counts = async () => {
    const claims = await queue.claim(now, 6, 4);
    const of = ({ organizationId }: { readonly organizationId: string }) =>
      claims.filter((claim) => claim.organizationId === organizationId).length;
    return [claims.length, of(many) <= 4, of(suspended)];
  };
  expect(await counts()).toEqual([6, true, 0]);
  expect(await counts()).toEqual([4, true, 0]);
  expect(await counts()).toEqual([2, true, 0]);
  expect(await queue.claim(now, 6, 4)).toEqual([]);
  expect(few.ids).toHaveLength(2);
  await suspend(null);
  expect(await queue.claim(now, 6, 4)).toMatchObject([{ urlId: suspended.ids[0] }]);
  await finishAll(now + minuteMs);
});
