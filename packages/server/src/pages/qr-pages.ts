import { Html, html, type RenderPage } from './page.js';
import type { Strings } from './strings/en.js';
import { webAddressOf } from './web-address.js';

const formatNames = { png: 'PNG', svg: 'SVG', webp: 'WebP' } as const;

export interface PreviewedQr {
  readonly qrData: string;
  readonly size: number;
  readonly format: keyof typeof formatNames;
  readonly mediaType: string;
  readonly downloadUrl: string;
}

/** Returns the pages of QR codes, in a language. */
export function createQrPages(render: RenderPage, strings: Strings) {
  const message = (heading: string, text: string) =>
    render(heading, html`<h1>${heading}</h1>\n<p>${text}</p>`);
  return {
    qrNotFound: message(strings.qrNotFound, strings.checkAddress),
    qrGone: message(strings.qrGone, strings.qrGoneHint),
    qrInactive: message(strings.qrInactive, strings.qrInactiveHint),
    qrUnavailable: message(strings.qrUnavailable, strings.tryAgain),

    /**
     * Renders the preview of a code without its image: the image in Base64 belongs between the two parts.
     * The page contains the image, so showing it is not a download. An image has up to some megabytes, and
     * the string functions of a template would copy it several times.
     */
    qr({ qrData, size, format, mediaType, downloadUrl }: PreviewedQr) {
      const address = webAddressOf(qrData);
      const payload =
        address === undefined
          ? html`${qrData}`
          : html`<a href="${address}" rel="noreferrer nofollow">${address}</a>`;
      const pixels = String(size);
      const name = formatNames[format];
      const page = render(
        strings.qrCode,
        html`<h1>${strings.qrCode}</h1>
<img class="code" src="data:${mediaType};base64,${new Html(imagePlaceholder)}" width="${pixels}" height="${pixels}" alt="${strings.qrAlt}">
<p>${strings.qrFormat(name, pixels)} <span id="content">${strings.qrContent}</span></p>
<p class="payload" tabindex="0" aria-labelledby="content">${payload}</p>
<a class="button" href="${downloadUrl}?download=1" download>${strings.downloadImage(name)}</a>
<a class="button quiet" href="${downloadUrl}">${strings.openImage}</a>`,
      );
      const [beforeImage = '', afterImage = ''] = page.html.split(imagePlaceholder);
      return { beforeImage, afterImage, headers: page.headers };
    },
  };
}

// Escaped text cannot contain it.
const imagePlaceholder = '<image>';
