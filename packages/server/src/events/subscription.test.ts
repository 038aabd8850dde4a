import { describe, expect, it } from 'vitest';
import { eventTypes } from './event-types.js';
import { type EventFilters, passesFilters, wantsType } from './subscription.js';

it('wantsType returns true for every type but url.clicked with *', () => {
  const excluded = eventTypes.filter((type) => !wantsType({ events: ['*'] }, type));
  expect(excluded).toEqual(['url.clicked']);
  expect(wantsType({ events: ['*', 'url.clicked'] }, 'url.clicked')).toBe(true);
});

describe('passesFilters', () => {
  const event = { type: 'qr.created', url_id: null, domain_id: null, tags: null };
  const passes = (filters: EventFilters | null, subject: object) =>
    passesFilters({ filters }, { ...event, ...subject });

  it('allows an event without a link only without filters', () => {
    for (const subject of [{}, { tags: '' }]) {
      expect(passes(null, subject)).toBe(true);
      for (const filters of [{ tags: ['a'] }, { domainIds: ['d1'] }, { urlIds: [1] }]) {
        expect(passes(filters, subject)).toBe(false);
      }
    }
    expect(passes({ domainIds: ['d1'] }, { domain_id: 'd1' })).toBe(true);
  });
});
