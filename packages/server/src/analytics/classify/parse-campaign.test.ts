import { describe, expect, it } from 'vitest';
import { isAdClick } from './ad-clicks.js';
import { parseCampaign } from './parse-campaign.js';

describe('the campaign of a visit', () => {
  it.each<[string, object | null]>([
    [
      '?a=1&utm_source=news+letter&utm_medium=e-mail&utm_campaign=a%26b&utm_term=%C3%A4',
      { utmSource: 'news letter', utmMedium: 'e-mail', utmCampaign: 'a&b', utmTerm: 'ä' },
    ],
    // Names are in any case, and may be percent-encoded.
    ['?UTM_SOURCE=Mail&Utm_Medium=c%50C', { utmSource: 'Mail', utmMedium: 'cPC' }],
    ['?utm%5Fcampaign=x', { utmCampaign: 'x' }],
    ['?%75%74m%5fterm=%41', { utmTerm: 'A' }],
    // The first of two values counts, and no empty one.
    ['?utm_source=a&utm_source=b&utm_term=&utm_content=%20', { utmSource: 'a' }],
    ...['', '?', '?a=utm_source', '?utm_id=4', '?utm_source', '?a=%5F&b=%zz'].map(
      (query): [string, null] => [query, null],
    ),
  ])('of %s is %j', (query, campaign) => {
    expect(parseCampaign(query)).toEqual(campaign);
  });

  it.each([
    ['?Utm_Medium=c%50C', true],
    ['?li%5Ffat%5fid=1', true],
    ['?utm_medium=email&utm_campaign=cpc', false],
  ])('%s is that of an ad: %s', (query, isAd) => {
    expect(isAdClick(query)).toBe(isAd);
  });

  it('is cut between characters', () => {
    const emoji = '\u{1f600}';
    expect(parseCampaign(`?utm_term=${'x'.repeat(99)}${emoji}`)?.utmTerm).toBe('x'.repeat(99));
    const term = `&utm_term=x${encodeURIComponent(emoji)}y`;
    for (let cut = 1; cut <= term.length; cut += 1) {
      const query = `?${'a'.repeat(4095 - cut)}${term}`;
      expect(parseCampaign(query)?.utmTerm ?? 'x').toMatch(/^x(?:\u{1f600}y?)?$/u);
    }
  });
});
