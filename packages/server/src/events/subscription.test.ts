import { describe, expect, it } from 'vitest';
import { eventTypes } from './event-types.js';
import { type EventFilters, type EventSubject, passesFilters, wantsType } from './subscription.js';

describe('wantsType', () => {
  it('returns true for the types of the list only', () => {
    const webhook = { events: ['url.created', 'qr.deleted'] };
    expect(eventTypes.filter((type) => wantsType(webhook, type))).toEqual(webhook.events);
  });

  it('returns true for every type but url.clicked with *', () => {
    const excluded = eventTypes.filter((type) => !wantsType({ events: ['*'] }, type));
    expect(excluded).toEqual(['url.clicked']);
    expect(wantsType({ events: ['*', 'url.clicked'] }, 'url.clicked')).toBe(true);
  });
});

describe('passesFilters', () => {
  const link: EventSubject = { urlId: 42, domainId: 'd1', tags: '\nlaunch\nmail\n' };
  const passes = (filters: EventFilters | null, subject: EventSubject) =>
    passesFilters({ filters }, 'qr.created', subject);

  it.each<[EventFilters | null, boolean]>([
    [null, true],
    [{ tags: ['mail', 'other'] }, true],
    [{ tags: ['mai', 'aunch', 'Mail'] }, false],
    [{ domainIds: ['d1'] }, true],
    [{ domainIds: ['d2'] }, false],
    [{ urlIds: [1, 42] }, true],
    [{ urlIds: [4, 2] }, false],
    [{ tags: ['launch'], domainIds: ['d1'], urlIds: [42] }, true],
    [{ tags: ['launch'], domainIds: ['d2'], urlIds: [42] }, false],
  ])('with %j returns %s for a link', (filters, result) => {
    expect(passes(filters, link)).toBe(result);
  });

  it('allows an event without a link only without filters', () => {
    for (const subject of [{}, { domainId: null }, { domainId: null, tags: '' }]) {
      expect(passes(null, subject)).toBe(true);
      for (const filters of [{ tags: ['a'] }, { domainIds: ['d1'] }, { urlIds: [1] }]) {
        expect(passes(filters, subject)).toBe(false);
      }
    }
    expect(passes({ domainIds: ['d1'] }, { domainId: 'd1' })).toBe(true);
  });
});
