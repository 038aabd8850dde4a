import { describe, expect, it } from 'vitest';
import { directReferrer, parseReferrer, refineReferrer } from './parse-referrer.js';

describe('parseReferrer', () => {
  it.each([
    ['https://www.google.com/', 'google.com', 'search'],
    ['https://news.google.com/', 'news.google.com', 'search'],
    ['https://docs.google.com/', 'docs.google.com', 'other'],
    ['https://l.facebook.com/l.php?u=x', 'facebook.com', 'social'],
    ['https://t.co/aBc123', 'x.com', 'social'],
    ['https://mastodon.social/@x', 'mastodon.social', 'social'],
    ['https://mail.google.com/', 'mail.google.com', 'email'],
    [
      'https://eur01.safelinks.protection.outlook.com/',
      'eur01.safelinks.protection.outlook.com',
      'email',
    ],
    ['https://urldefense.com/v3/x', 'urldefense.com', 'email'],
    ['https://www.googleadservices.com/', 'googleadservices.com', 'paid'],
    ['https://ad.nl/', 'ad.nl', 'other'],
    ['https://t.company.example/', 't.company.example', 'other'],
    ['https://chatgpt.com/', 'chatgpt.com', 'ai'],
    ['https://example.com/page?x=1', 'example.com', 'other'],
    ['https://notfacebook.com/', 'notfacebook.com', 'other'],
    ['https://facebook.com.example.org/', 'facebook.com.example.org', 'other'],
    ['http://[2001:db8::1]:8080/', '[2001:db8::1]', 'other'],
    ['https://user:secret@example.com/', 'example.com', 'other'],
    ['https://bücher.example/', 'xn--bcher-kva.example', 'other'],
    ['android-app://com.google.android.gm/', 'mail.google.com', 'email'],
    ['android-app://org.telegram.messenger', 'telegram.org', 'social'],
    ['android-app://org.example.app/', 'org.example.app', 'other'],
  ])('%s is %s, %s', (referer, referrerDomain, referrerType) => {
    expect(parseReferrer(referer)).toEqual({
      referrerDomain,
      referrerType,
      hasPage: true,
      isImageSearch: false,
    });
  });

  it.each([
    'https://lens.google.com/',
    'https://images.google.com/',
    'https://www.tineye.com/search/1',
    'android-app://com.google.ar.lens/',
  ])('%s is an image search', (referer) => {
    expect(parseReferrer(referer).isImageSearch).toBe(true);
    expect(parseReferrer(referer).referrerType).toBe('search');
  });

  it.each([
    '',
    '-',
    'about:blank',
    'example.com',
    'android-app://',
    `https://${'a'.repeat(300)}.example/`,
  ])('%s counts as direct', (referer) => {
    expect(parseReferrer(referer)).toEqual(directReferrer);
  });

  it.each(['https://href.li/?https://example.com/', 'https://anonym.to/?x', 'https://anon.to/'])(
    '%s hides the page, but is not the absence of one',
    (referer) => {
      expect(parseReferrer(referer)).toEqual({ ...directReferrer, hasPage: true });
    },
  );
});

describe('refineReferrer', () => {
  const refine = (referer: string) => refineReferrer(parseReferrer(referer), referer);

  it.each([
    ['https://www.google.com/aclk?sa=l&ai=x', 'google.com', 'paid'],
    ['https://shop.example/?gclid=x', 'shop.example', 'paid'],
    ['https://l.facebook.com/l.php?u=x&fbclid=y', 'facebook.com', 'social'],
    ['https://www.google.com/url?q=https://example.com', 'google.com', 'search'],
    ['https://www.google.com/url?q=x&source=gmail&ust=1', 'mail.google.com', 'email'],
    ['https://www.google.de/url?source=docs&q=x', 'docs.google.com', 'other'],
    ['https://example.com/aclk?sa=l', 'example.com', 'other'],
  ])('%s is %s, %s', (referer, referrerDomain, referrerType) => {
    expect(refine(referer)).toMatchObject({ referrerDomain, referrerType });
  });

  it('leaves a text that is no referrer direct', () => {
    expect(refine('about:blank?gclid=x')).toEqual(directReferrer);
  });
});
