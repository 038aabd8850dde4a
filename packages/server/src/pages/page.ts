import { createHash } from 'node:crypto';
import type { Config } from '../config.js';
import { codePointOf } from '../contract/fields.js';
import { readableOn } from '../contrast.js';
import { parseUrl } from '../network/parse-url.js';
import { securityHeaders } from './security-headers.js';

/** What the operator sets for the pages of visitors. */
export type Brand = Partial<
  Pick<Config, 'pagesName' | 'pagesColor' | 'pagesLogo' | 'abuseContact' | 'dashboard'>
>;

export interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

// Of the backgrounds, those on which the accent has the least contrast.
const lightPaper = '#fcfcfd';
const darkCard = '#18191b';

// The colours, light and dark. Text has a contrast of at least 4.5 to 1.
const baseStyle = `
:root{color-scheme:light dark;--ink:#1c2024;--dim:#60646c;--paper:${lightPaper};--card:#fff;--line:#d9d9e0;--accent:#3451b2;--on-accent:#fff;--error:#b42318}
@media (prefers-color-scheme:dark){:root{--ink:#edeef0;--dim:#b0b4ba;--paper:#111113;--card:${darkCard};--line:#43484e;--accent:#9eb1ff;--on-accent:#111113;--error:#ff9592}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1.0625rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:26rem;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.25}
p{margin:0 0 1rem;color:var(--dim);overflow-wrap:anywhere}
p:last-child{margin:0}
label{display:block;margin:0 0 .375rem;font-weight:600}
input{width:100%;padding:.625rem .75rem;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--dim);border-radius:.5rem}
button{width:100%;margin-top:1rem;padding:.625rem .75rem;font:inherit;font-weight:600;color:var(--on-accent);background:var(--accent);border:0;border-radius:.5rem;cursor:pointer}
.brand{margin:0 0 1.5rem;color:var(--ink);font-weight:600}
.brand img{display:block;max-width:100%;max-height:3rem}
p.contact{margin:1.5rem 0 0;font-size:.9375rem}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
a{color:var(--accent)}
.error{color:var(--error);font-weight:600}
.code{display:block;width:100%;height:auto;margin:0 0 1rem;border:1px solid var(--line);border-radius:.5rem}
.payload{white-space:pre-wrap;color:var(--ink);max-height:12rem;overflow:auto;padding:.625rem .75rem;background:var(--paper);border:1px solid var(--line);border-radius:.5rem}
h2{margin:1.5rem 0 0;font-size:1.125rem}
.bars{display:block;width:100%;height:6rem;fill:var(--accent);border-bottom:1px solid var(--line)}
table{width:100%;margin:1rem 0 0;border-collapse:collapse}
caption,th{text-align:left;font-weight:400}
caption{color:var(--dim)}
td{text-align:right;font-variant-numeric:tabular-nums}
.button{display:block;margin-top:.75rem;padding:.625rem .75rem;text-align:center;font-weight:600;color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:.5rem;text-decoration:none}
.button.quiet{color:var(--accent);background:none}
`;

/** Returns a page's headers for this content security policy, without the security headers. */
export function pageHeadersWith(contentPolicy: readonly string[]): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentPolicy.join('; '),
    'X-Robots-Tag': 'noindex',
  };
}

/** Safe HTML: `html` does not escape it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A template tag that escapes every value that is not `Html`. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const parts = strings.map((part, index) => {
    const value = values[index];
    if (value === undefined) return part;
    return part + (value instanceof Html ? value.text : escapeText(value));
  });
  return new Html(parts.join(''));
}

/** Renders a page of visitors. `tags` are further elements of its head. */
export type RenderPage = (title: string, content: Html, tags?: readonly Html[]) => Page;

/** Returns a function that renders pages with what the operator has set, in a language. */
export function pageRenderer(
  { pagesName: name, pagesColor, pagesLogo: logo, abuseContact }: Brand,
  { lang, reportAbuse }: { readonly lang: string; readonly reportAbuse: string },
): RenderPage {
  const style = pagesColor === undefined ? baseStyle : baseStyle + accentStyle(pagesColor);
  const styleHash = createHash('sha256').update(style).digest('base64');
  const logoOrigin = logo === undefined || logo.startsWith('data:') ? '' : new URL(logo).origin;
  // No form-action: browsers also apply it to the redirect after a form, which may lead to any site.
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `img-src 'self' data: ${logoOrigin}`.trimEnd(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  const headers = {
    ...securityHeaders,
    ...pageHeadersWith(policy),
    Vary: 'Accept-Language',
  };
  const shownBrand =
    logo === undefined ? (name ?? '') : html`<img src="${logo}" alt="${name ?? ''}">`;
  const above = shownBrand === '' ? '' : html`<p class="brand">${shownBrand}</p>\n`;
  const below =
    abuseContact === undefined
      ? ''
      : html`\n<p class="contact"><a href="${abuseContact}">${reportAbuse}</a></p>`;
  return (title, content, tags = []) => ({
    html: renderDocument({
      lang,
      title: name === undefined || name === title ? title : `${title} – ${name}`,
      links: joinLines([html`<style>${new Html(style)}</style>`, ...tags]),
      body: html`<main>\n${above}${content}${below}\n</main>`,
    }),
    headers,
  });
}

/** Returns the operator's colour for links and buttons, with enough contrast on both backgrounds. */
function accentStyle(colour: string): string {
  const rule = (background: string) =>
    `:root{--accent:rgb(${readableOn(background, colour).join(' ')})}`;
  return `${rule(lightPaper)}\n@media (prefers-color-scheme:dark){${rule(darkCard)}}\n`;
}

export function joinLines(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join('\n'));
}

interface Document {
  readonly lang: string;
  readonly title: string;
  /** The elements of its head that load styles and scripts. */
  readonly links: Html;
  readonly body: Html;
}

/** Renders an HTML document. All languages of pages are written from left to right. */
export function renderDocument({ lang, title, links, body }: Document): string {
  return html`<!doctype html>
<html lang="${lang}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${links}
</head>
<body>
${body}
</body>
</html>
`.text;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// Characters that are invisible or reorder the text around them, except tabs and line ends.
const invisible = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Returns text for HTML and XML. */
export function escapeText(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] as string)
    .replace(invisible, (character) => `[${codePointOf(character)}]`);
}

/**
 * Returns a web address in ASCII and without user information, because other characters and user
 * information can imitate another host. Returns undefined for other text, such as `javascript:` URLs,
 * which a page must not link.
 */
export function webAddressOf(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (!url) return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}
