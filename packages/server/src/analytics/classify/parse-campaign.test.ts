import { describe, expect, it } from 'vitest';
import { isAdClick } from './ad-clicks.js';
import { parseCampaign } from './parse-campaign.js';

describe('the campaign of a visit', () => {
  it('has the UTM parameters of the query', () => {
    const query =
      '?a=1&utm_source=news+letter&utm_medium=e-mail&utm_campaign=a%26b&utm_term=%C3%A4&utm_content=top';
    expect(parseCampaign(query)).toEqual({
      utmSource: 'news letter',
      utmMedium: 'e-mail',
      utmCampaign: 'a&b',
      utmTerm: 'ä',
      utmContent: 'top',
    });
  });

  it('has parameters whose names are in any case, like the medium of an ad', () => {
    const query = '?UTM_SOURCE=Mail&Utm_Medium=c%50C';
    expect(parseCampaign(query)).toEqual({ utmSource: 'Mail', utmMedium: 'cPC' });
    expect(isAdClick(query)).toBe(true);
    expect(isAdClick('?utm_medium=email&utm_campaign=cpc')).toBe(false);
  });

  it('has parameters whose names are percent-encoded', () => {
    expect(parseCampaign('?utm%5Fcampaign=x')).toEqual({ utmCampaign: 'x' });
    expect(parseCampaign('?%75%74m%5fterm=%41')).toEqual({ utmTerm: 'A' });
    expect(parseCampaign('?a=%5F&b=%zz')).toBeNull();
    expect(isAdClick('?li%5Ffat%5fid=1')).toBe(true);
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

  it('has the first of two values, and no empty one', () => {
    const query = '?utm_source=a&utm_source=b&utm_term=&utm_content=%20';
    expect(parseCampaign(query)).toEqual({ utmSource: 'a' });
  });

  it('is null without UTM parameters', () => {
    for (const query of ['', '?', '?a=utm_source', '?utm_id=4', '?utm_source']) {
      expect(parseCampaign(query)).toBeNull();
    }
  });
});
