import { afterEach, describe, expect, it } from 'vitest';
import { QueueClosedError, QueueFullError } from '../fair-queue.js';
import { createLogoFetcher } from './fetch-logo.js';

const url = new URL('https://example.com/logo');
const response = { url, status: 200, headers: {}, body: Buffer.from('logo'), isCut: false };

/** A fetcher whose downloads end when the test releases them. */
function controlledFetcher() {
  const requested: string[] = [];
  const releases: (() => void)[] = [];
  const fetcher = createLogoFetcher({
    request(url) {
      requested.push(String(url));
      return new Promise((resolve) => releases.push(() => resolve(response)));
    },
  });
  const fetchMany = (organizationId: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      fetcher.fetch(organizationId, `${organizationId}${at}`),
    );
  return { fetcher, requested, releases, fetchMany };
}

let control: ReturnType<typeof controlledFetcher>;
const open = () => {
  control = controlledFetcher();
  return control;
};
afterEach(() => control.fetcher.queue.close());

describe('the logo fetcher', () => {
  it('runs at most 4 downloads of one organization, and starts the next when one ends', async () => {
    const { requested, releases, fetchMany } = open();
    const [first, ...others] = fetchMany('a', 6);
    const outcomes = Promise.allSettled(others);
    expect(requested).toEqual(['a0', 'a1', 'a2', 'a3']);
    releases[0]?.();
    expect(await first).toEqual(Buffer.from('logo'));
    await expect.poll(() => requested, { message: 'the fifth download' }).toContain('a4');
    expect(requested).toHaveLength(5);
    control.fetcher.queue.close();
    for (const release of releases) release();
    expect((await outcomes).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  it('runs at most 16 downloads of all organizations', () => {
    const { requested, fetchMany } = open();
    for (const organizationId of ['a', 'b', 'c', 'd', 'e']) {
      void Promise.allSettled(fetchMany(organizationId, 4));
    }
    expect(requested).toHaveLength(16);
  });

  it('refuses the 65th waiting download of an organization, and none of another', async () => {
    const { fetcher, requested, fetchMany } = open();
    const outcomes = Promise.allSettled(fetchMany('a', 4 + 64));
    await expect(fetcher.fetch('a', 'a68')).rejects.toBeInstanceOf(QueueFullError);
    const others = Promise.allSettled(fetchMany('b', 1));
    expect(requested).toEqual(['a0', 'a1', 'a2', 'a3', 'b0']);
    for (const release of control.releases) release();
    fetcher.queue.close();
    await others;
    const refused = (await outcomes).filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(64);
    expect(refused.every(({ reason }) => reason instanceof QueueClosedError)).toBe(true);
  });
});
