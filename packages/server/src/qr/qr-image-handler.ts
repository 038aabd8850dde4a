import { hash } from 'node:crypto';
import type { Request, Response, Router } from 'express';
import { ApiError } from '../contract/api-error.js';
import { errorHeaders, toApiError } from '../http/error-response.js';
import { requestIdOf } from '../http/request-id.js';
import { respondToError, sendError, sendPage } from '../http/send-response.js';
import type { LoadingCache } from '../loading-cache.js';
import type { Page } from '../pages/page.js';
import type { PagesFor } from '../pages/visitor-pages.js';
import { prefersJson } from '../parse-accept.js';
import type { QrFormat } from './drawing/qr-design.js';
import type { PublicQr } from './qr-repository.js';

export interface QrImageOptions {
  readonly cache: LoadingCache<PublicQr>;
  readonly findOrganization: (host: string | undefined) => Promise<string | null>;
  readonly pagesFor: PagesFor;
  /** Counts a download durably, and then calls `respond`. */
  readonly countDownload: (id: string, respond: () => void) => void;
  readonly onRequestError: (error: unknown, requestId: string) => void;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Serves the images of QR codes and their preview pages, without authentication. A custom domain serves
 * the codes of its organization only. Neither is a visit of a link, so neither counts as a scan.
 */
export function mountQrImages(pages: Router, options: QrImageOptions): void {
  const { cache, findOrganization, pagesFor, countDownload, onRequestError } = options;

  async function serve(
    { params, method, headers }: Request<{ id: string }>,
    response: Response,
    isPreview: boolean,
  ): Promise<void> {
    const id = params.id.toLowerCase();
    const found = cache.get(id) ?? (uuid.test(id) ? await cache.load(id) : undefined);
    const pages = pagesFor(headers);
    const owner = await findOrganization(headers.host);
    const qr = owner === null || owner === found?.organizationId ? found : undefined;
    if (qr === undefined) refuse(response, isPreview, unknown, pages.qrNotFound);
    else if (qr.image === null) refuse(response, isPreview, deleted, pages.qrGone);
    else if (qr.suspendedAt !== null) refuse(response, isPreview, inactive, pages.qrInactive);
    else if (method !== 'GET' && method !== 'HEAD') {
      sendError(response, methodNotAllowed);
    } else if (!isPreview) sendImage(response, qr, qr.image, countDownload);
    else sendPage(response, 200, pages.qr({ ...qr, downloadUrl: `/api/qr/${id}/download` }));
  }

  const mount = (path: string, isPreview: boolean) =>
    pages.all(path, (request: Request<{ id: string }>, response: Response) =>
      serve(request, response, isPreview).catch((error: unknown) =>
        respondToError(response, error, onRequestError, () =>
          refuse(response, isPreview, toApiError(error), pagesFor(request.headers).qrUnavailable),
        ),
      ),
    );
  mount('/api/qr/:id/download', false);
  mount('/qr/:id', true);
}

// A browser opens an SVG as a document. The policy allows its inlined logo and nothing else.
const svgPolicy = { 'Content-Security-Policy': "default-src 'none'; img-src data:; sandbox" };

function sendImage(
  response: Response,
  { id, format, linkKey, updatedAt }: PublicQr,
  image: Uint8Array,
  countDownload: QrImageOptions['countDownload'],
): void {
  const request = response.req;
  // `fetch` adds `no-cache` to each request with If-None-Match, and Express would never send 304 then.
  delete request.headers['cache-control'];
  const { download, preview } = request.query;
  const isAttachment = download === '1';
  const disposition = isAttachment ? 'attachment' : 'inline';
  // Imported codes have slashes and dots, too.
  const name = linkKey?.replaceAll(/[/.]/g, '-') ?? id;
  response.set({
    // Identifies the image by its change: hashing an image of megabytes takes milliseconds.
    ETag: `"${hash('sha256', `${id} ${updatedAt}`, 'base64url').slice(0, 22)}"`,
    // Caches must revalidate the image, so a change is visible at once.
    'Cache-Control': 'public, no-cache',
    'X-Request-Id': requestIdOf(request.headers['x-request-id']),
    'Content-Type': mediaTypes[format],
    'Content-Disposition': `${disposition}; filename="qr-${name}.${format}"`,
    'X-Content-Type-Options': 'nosniff',
    ...(format === 'svg' && svgPolicy),
  });
  const respond = () => {
    response.send(image);
  };
  // The image of a preview page is no download.
  const isDownload = isAttachment || preview !== '1';
  if (isDownload && request.method === 'GET' && !request.fresh) countDownload(id, respond);
  else respond();
}

/** Sends a page or JSON, depending on Accept. The default is JSON for a download, else a page. */
function refuse(response: Response, isPreview: boolean, error: ApiError, page: Page): void {
  const { accept } = response.req.headers;
  const wantsPage = !prefersJson(accept) && (isPreview || /\btext\/html\b/i.test(accept ?? ''));
  if (wantsPage) sendPage(response, error.status, page, errorHeaders(error));
  else sendError(response, error);
}

const unknown = new ApiError('NOT_FOUND', 'There is no such QR code');
const deleted = new ApiError('GONE', 'This QR code was deleted');
const inactive = new ApiError('GONE', 'This QR code is not active');
const methodNotAllowed = new ApiError('METHOD_NOT_ALLOWED', 'Use GET or HEAD', {
  headers: { Allow: 'GET, HEAD' },
});

export const mediaTypes = {
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
} as const satisfies Record<QrFormat, string>;
