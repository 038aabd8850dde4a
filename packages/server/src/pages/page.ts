import { createHash } from 'node:crypto';
import { codePointOf } from '../contract/fields.js';
import { securityHeaders } from './security-headers.js';

/** The colours of every page, light and dark. Text has a contrast of at least 4.5 to 1. */
export const palette = `
:root{color-scheme:light dark;--ink:#1c2024;--dim:#60646c;--paper:#fcfcfd;--card:#fff;--line:#d9d9e0;--accent:#3451b2;--on-accent:#fff;--error:#b42318}
@media (prefers-color-scheme:dark){:root{--ink:#edeef0;--dim:#b0b4ba;--paper:#111113;--card:#18191b;--line:#43484e;--accent:#9eb1ff;--on-accent:#111113;--error:#ff9592}}
`;

export const typeface = 'system-ui,-apple-system,"Segoe UI",Roboto,sans-serif';

const style = `${palette}*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1.0625rem/1.55 ${typeface}}
main{width:100%;max-width:26rem;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.25}
p{margin:0 0 1rem;color:var(--dim);overflow-wrap:anywhere}
p:last-child{margin:0}
label{display:block;margin:0 0 .375rem;font-weight:600}
input{width:100%;padding:.625rem .75rem;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--dim);border-radius:.5rem}
button{width:100%;margin-top:1rem;padding:.625rem .75rem;font:inherit;font-weight:600;color:var(--on-accent);background:var(--accent);border:0;border-radius:.5rem;cursor:pointer}
.contact{margin:1.5rem 0 0;font-size:.9375rem}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
a{color:var(--accent)}
.error{color:var(--error);font-weight:600}
.code{display:block;width:100%;height:auto;margin:0 0 1rem;border:1px solid var(--line);border-radius:.5rem}
.payload{white-space:pre-wrap;color:var(--ink);max-height:12rem;overflow:auto;padding:.625rem .75rem;background:var(--paper);border:1px solid var(--line);border-radius:.5rem}
.button{display:block;margin-top:.75rem;padding:.625rem .75rem;text-align:center;font-weight:600;color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:.5rem;text-decoration:none}
.button.quiet{color:var(--accent);background:none}
`;

const styleHash = createHash('sha256').update(style).digest('base64');

// No form-action: browsers also apply it to the redirect after a form, which may lead to any site.
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** Returns a page's headers for this content security policy, without the security headers. */
export function pageHeadersWith(contentPolicy: readonly string[]): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentPolicy.join('; '),
    'X-Robots-Tag': 'noindex',
  };
}

/** The headers of pages. A page loads nothing and cannot be framed. */
export const pageHeaders = { ...securityHeaders, ...pageHeadersWith(policy) };

export const imagePageHeaders = {
  ...securityHeaders,
  ...pageHeadersWith([...policy, 'img-src data:']),
};

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

/** Renders a page with the style of visitors' pages. `tags` are further elements of its head. */
export function renderPage(title: string, content: Html, tags: readonly Html[] = []): string {
  const head = joinLines([html`<style>${new Html(style)}</style>`, ...tags]);
  return renderDocument(title, head, html`<main>\n${content}\n</main>`);
}

function joinLines(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join('\n'));
}

/** Renders an HTML document. `links` are the elements of its head that load styles and scripts. */
export function renderDocument(title: string, links: Html, body: Html): string {
  return html`<!doctype html>
<html lang="en">
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

function escapeText(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] as string)
    .replace(invisible, (character) => `[${codePointOf(character)}]`);
}
