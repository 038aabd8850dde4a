import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../contract/api-error.js';
import { contrastOf, luminance, parseColour, readableOn } from '../contrast.js';
import { html } from './page.js';
import en from './strings/en.json' with { type: 'json' };
import { createVisitorPages, languages, stringsFor, type VisitorPages } from './visitor-pages.js';

describe('html', () => {
  it('escapes every value, in text and in attributes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", 'a', '`') }),
        (text) => {
          const { text: inner } = html`${text}`;
          expect(inner).not.toMatch(/[<>"']/);
          expect(inner.replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
        },
      ),
    );
  });

  it('shows invisible and reordering characters as code points', () => {
    expect(html`${'a\u202egnp.exe\u2066\u200f\0\n'}`.text).toBe(
      'a[U+202E]gnp.exe[U+2066][U+200F][U+0000]\n',
    );
  });

  it.each([
    ['https://\u0430pple.com/', 'https://xn--pple-43d.com/'],
    ['https://bank.example@evil.example/', 'https://evil.example/'],
    ['https://example.com/\u202egnp.exe', 'https://example.com/%E2%80%AEgnp.exe'],
  ])('a QR code with the content %j shows and links %s', (qrData, shown) => {
    const page = createVisitorPages({})({}).qr({
      qrData,
      size: 10,
      format: 'png',
      downloadUrl: '/d',
    });
    expect(page.html).toContain(`<a href="${shown}" rel="noreferrer nofollow">${shown}</a>`);
  });
});

describe('pages', () => {
  const origin = { referrer: '', fetchSite: '' };
  const wrong = new ApiError('UNAUTHORIZED', 'Wrong password');

  it('escape what visitors send and the operator sets', () => {
    const pages = createVisitorPages({ pagesName: '</title><script>' })({});
    const page = pages.password({ referrer: '"><script>', fetchSite: '<script>' }, wrong);
    expect(page.html).not.toContain('<script>');
  });

  it('lead from the home page to the dashboard, if there is one', () => {
    const link = '<a href="/dashboard/">Dashboard</a>';
    expect(createVisitorPages({ dashboard: true })({}).home.html).toContain(link);
    expect(createVisitorPages({ dashboard: false })({}).home.html).not.toContain('/dashboard');
  });

  it('associate an error with its field', () => {
    const pages = createVisitorPages({})({});
    expect(pages.password(origin).html).not.toContain('aria-invalid');
    const { html: page } = pages.password(origin, wrong);
    expect(page).toMatch(/aria-describedby="error" aria-invalid="true"/);
    expect(page).toMatch(/id="error" role="alert">Wrong password\./);
  });

  it.each(Object.entries(languages))('are complete in %s', (code, strings) => {
    const headers = { 'accept-language': code };
    const pages = pagesOf(createVisitorPages({})(headers));
    for (const page of pages) {
      expect(page).toContain(`<html lang="${strings.lang}" dir="ltr">`);
      expect(page).not.toMatch(/undefined|NaN|\[object|\{\w+\}/);
    }
    // No text was left in English, except the same words in both languages.
    const same = Object.entries(strings).filter(
      ([key, text]) =>
        code !== 'en' &&
        text === en[key as keyof typeof en] &&
        !['qrFormat', 'dashboard'].includes(key),
    );
    expect(same.map(([key]) => key)).toEqual(code === 'it' ? ['password'] : []);
  });

  function pagesOf({ password, domain, qr, info, ...pages }: VisitorPages): string[] {
    const late = new ApiError('RATE_LIMITED', '', { headers: { 'Retry-After': '600' } });
    const countries = [{ country: 'Unknown', clicks: 1 }];
    const clicks = { total: 1, days: [{ bucket: '2030-01-01', clicks: 1 }], countries };
    const forms = [undefined, wrong, late].map((error) => password(origin, error));
    const link = info({ location: 'x', title: null, createdAt: 0, clicks });
    const all = [...Object.values(pages), ...forms, domain('go.example.com'), link];
    const code = qr({
      qrData: 'x',
      size: 10,
      format: 'png',
      downloadUrl: '/d',
    });
    return [...all, code].map((page) => page.html);
  }
});

it('the colour of the operator is changed until text has a contrast of 4.5 to 1', () => {
  const hex = fc.integer({ min: 0, max: 0xffffff });
  fc.assert(
    fc.property(hex, fc.constantFrom('#fcfcfd', '#18191b'), (value, background) => {
      const colour = `#${value.toString(16).padStart(6, '0')}`;
      const shown = luminance(readableOn(background, colour));
      expect(contrastOf(shown, luminance(parseColour(background)))).toBeGreaterThanOrEqual(4.5);
    }),
  );
  expect(readableOn('#fcfcfd', '#3451b2')).toEqual(parseColour('#3451b2'));
});

it.each([
  ['', 'en'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['xx, pt-PT;q=0.5', 'pt-BR'],
  ['de;q=0, zh-TW;q=0.1', 'zh-Hans'],
  ['__proto__, constructor;q=nonsense, pl', 'pl'],
  [`${'xx,'.repeat(400)}de`, 'en'],
])('Accept-Language %j chooses %s', (header, lang) => {
  expect(stringsFor(header).lang).toBe(lang);
});
