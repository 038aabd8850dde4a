import { Html, html, renderPage } from './page.js';
import { webAddressOf } from './web-address.js';

const formatNames = { png: 'PNG', svg: 'SVG', webp: 'WebP' } as const;

interface PreviewedQr {
  readonly qrData: string;
  readonly size: number;
  readonly format: keyof typeof formatNames;
  readonly mediaType: string;
  readonly downloadUrl: string;
}

/**
 * Renders the preview of a code without its image: the image in Base64 belongs between the two parts.
 * The page contains the image, so showing it is not a download. An image has up to some megabytes, and
 * the string functions of a template would copy it several times.
 */
export function qrPage({ qrData, size, format, mediaType, downloadUrl }: PreviewedQr) {
  const address = webAddressOf(qrData);
  const payload =
    address === undefined
      ? html`${qrData}`
      : html`<a href="${address}" rel="noreferrer nofollow">${address}</a>`;
  const page = renderPage(
    'QR code',
    html`<h1>QR code</h1>
<img class="code" src="data:${mediaType};base64,${new Html(imagePlaceholder)}" width="${String(size)}" height="${String(size)}" alt="QR code; its content is shown below">
<p>${formatNames[format]}, ${String(size)} × ${String(size)} pixels. <span id="content">Content:</span></p>
<p class="payload" tabindex="0" aria-labelledby="content">${payload}</p>
<a class="button" href="${downloadUrl}?download=1" download>Download ${formatNames[format]}</a>
<a class="button quiet" href="${downloadUrl}">Open the image</a>`,
  );
  const [beforeImage = '', afterImage = ''] = page.split(imagePlaceholder);
  return { beforeImage, afterImage };
}

// Escaped text cannot contain it.
const imagePlaceholder = '<image>';

export const qrNotFoundPage = renderPage(
  'QR code not found',
  html`<h1>This QR code does not exist</h1>
<p>Check the address for typing errors.</p>`,
);

export const qrGonePage = renderPage(
  'QR code deleted',
  html`<h1>This QR code was deleted</h1>
<p>Printed copies may still work.</p>`,
);

export const qrInactivePage = renderPage(
  'QR code not active',
  html`<h1>This QR code is not active</h1>
<p>Its owner can ask the operator of this service why.</p>`,
);

export const qrUnavailablePage = renderPage(
  'Try again in a moment',
  html`<h1>This QR code is temporarily unavailable</h1>
<p>Please try again in a moment.</p>`,
);
