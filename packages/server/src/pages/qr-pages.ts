import { parseUrl } from '../network/parse-url.js';
import { Html, html, renderPage } from './page.js';

const formatNames = { png: 'PNG', svg: 'SVG', webp: 'WebP' } as const;

export interface PreviewedQr {
  readonly qrData: string;
  /** Pixels of a side. */
  readonly size: number;
  readonly format: keyof typeof formatNames;
  readonly mediaType: string;
  readonly picture: Buffer;
  readonly downloadUrl: string;
}

/** The code itself is in the page: showing it is no download. */
export function qrPage({
  qrData,
  size,
  format,
  mediaType,
  picture,
  downloadUrl,
}: PreviewedQr): string {
  const source = `data:${mediaType};base64,${picture.toString('base64')}`;
  const address = webAddressOf(qrData);
  const payload =
    address === undefined
      ? html`${qrData}`
      : html`<a href="${address}" rel="noreferrer nofollow">${address}</a>`;
  return renderPage(
    'QR code',
    html`<h1>QR code</h1>
<img class="code" src="${new Html(source)}" width="${String(size)}" height="${String(size)}" alt="The QR code; what it carries is written below">
<p>${formatNames[format]}, ${String(size)} × ${String(size)} pixels. <span id="carries">It carries:</span></p>
<p class="payload" tabindex="0" aria-labelledby="carries">${payload}</p>
<a class="button" href="${downloadUrl}?download=1" download>Download ${formatNames[format]}</a>
<a class="button quiet" href="${downloadUrl}">Open the picture</a>`,
  );
}

export const qrNotFoundPage = renderPage(
  'QR code not found',
  html`<h1>This QR code does not exist</h1>
<p>Check the address for a slip.</p>`,
);

export const qrGonePage = renderPage(
  'QR code deleted',
  html`<h1>This QR code was deleted</h1>
<p>Its owner has removed it. What is printed may still work.</p>`,
);

export const qrUnavailablePage = renderPage(
  'Try again in a moment',
  html`<h1>This QR code cannot be looked up right now</h1>
<p>Nothing is lost. Please try again in a moment.</p>`,
);

/**
 * Returns a web address in ASCII, so that its host cannot look like another one, and without user
 * information, which can. Undefined for anything else: a code may carry `javascript:` or `data:` as
 * well, which is shown and leads nowhere.
 */
function webAddressOf(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (!url) return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}
