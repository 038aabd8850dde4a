import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLinkPages, type LinkPages } from './link-pages.js';
import { Html, html, pageHeaders, renderPage } from './page.js';
import { qrPage } from './qr-pages.js';

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
    ['https://bank.example%2f:x@evil.example/a', 'https://evil.example/a'],
    ['HTTPS://EXAMPLE.com\u3002evil.example', 'https://example.com.evil.example/'],
    ['https://example.com/\u202egnp.exe', 'https://example.com/%E2%80%AEgnp.exe'],
  ])('a QR code with the content %j shows and links %s', (qrData, shown) => {
    const { afterImage } = qrPage({
      qrData,
      size: 10,
      format: 'png',
      mediaType: 'image/png',
      downloadUrl: '/d',
    });
    expect(afterImage).toContain(`<a href="${shown}" rel="noreferrer nofollow">${shown}</a>`);
  });

  it('does not escape safe HTML', () => {
    expect(html`<p>${new Html('<b>')}${'<i>'}</p>`.text).toBe('<p><b>&lt;i&gt;</p>');
  });
});

describe('pages', () => {
  const origin = { referrer: '', fetchSite: '' };
  const { password: passwordPage } = createLinkPages(undefined);

  it('escape titles and errors', () => {
    expect(renderPage('</title><script>', html`x`)).not.toContain('<script>');
    expect(
      passwordPage({ referrer: '"><script>', fetchSite: '<script>' }, '<script>'),
    ).not.toContain('<script>');
  });

  it('associate an error with its field', () => {
    expect(passwordPage(origin)).not.toContain('aria-invalid');
    expect(passwordPage(origin, 'Wrong.')).toMatch(/aria-describedby="error" aria-invalid="true"/);
    expect(passwordPage(origin, 'Wrong.')).toMatch(/id="error" role="alert">Wrong\./);
  });

  it('load nothing, run nothing, and cannot be framed', () => {
    expect(pageHeaders['Content-Security-Policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'$/,
    );
    expect(passwordPage(origin, 'x')).not.toMatch(/<(script|img|link|iframe)| (src|on\w+|style)=/);
  });

  it('name the contact for abuse, if there is one', () => {
    const names = ({ password, domain, ...pages }: LinkPages) =>
      [...Object.values(pages), password(origin), domain('go.example.com')].map((page) =>
        page.includes('<a href="mailto:abuse@sho.example">Report abuse</a>'),
      );
    expect(new Set(names(createLinkPages('mailto:abuse@sho.example')))).toEqual(new Set([true]));
    expect(new Set(names(createLinkPages(undefined)))).toEqual(new Set([false]));
  });
});
