import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ApiError } from '../contract/api-error.js';
import type { FirstHandler } from '../http/create-http-server.js';
import { errorHeaders, toApiError } from '../http/error-response.js';
import { requestIdOf } from '../http/request-id.js';
import { decodeUnreserved } from '../http/request-target.js';
import { respondToError, sendError, sendPage } from '../http/send-response.js';
import type { LoadingCache } from '../loading-cache.js';
import type { Page } from '../pages/page.js';
import type { PagesFor } from '../pages/visitor-pages.js';
import { prefersJson } from '../parse-accept.js';
import type { QrFormat } from './drawing/qr-design.js';
import type { PublicQr } from './qr-repository.js';

export interface QrImageHandlerOptions {
  readonly cache: LoadingCache<PublicQr>;
  readonly findOrganization: (host: string | undefined) => Promise<string | null>;
  readonly pagesFor: PagesFor;
  /** Counts a download durably, and then calls `respond`. */
  readonly countDownload: (id: string, respond: () => void) => void;
  readonly onError: (error: unknown, requestId: string) => void;
}

const downloadPath = /^\/api\/qr\/([^/?]+)\/download(?:\?|$)/;
const previewPath = /^\/qr\/([^/?]+)(?:\?|$)/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Serves the images of QR codes and their preview pages, without authentication and before the
 * API's router. A custom domain serves the codes of its organization only. Neither is a visit of a link,
 * so neither counts as a scan.
 */
export function qrImageHandler(options: QrImageHandlerOptions): FirstHandler {
  const { cache, findOrganization, pagesFor, countDownload, onError } = options;

  async function serve(response: ServerResponse, isPreview: boolean, id: string): Promise<void> {
    const found = cache.get(id) ?? (uuid.test(id) ? await cache.load(id) : undefined);
    const { method, headers } = response.req;
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

  return (request, response) => {
    const url = request.url as string;
    const isPreview = url.startsWith('/qr/');
    const segment = (isPreview ? previewPath : downloadPath).exec(url)?.[1];
    if (segment === undefined) return false;
    const id = decodeUnreserved(segment).toLowerCase();
    serve(response, isPreview, id).catch((error: unknown) =>
      respondToError(response, error, onError, () =>
        refuse(response, isPreview, toApiError(error), pagesFor(request.headers).qrUnavailable),
      ),
    );
    return true;
  };
}

// A browser opens an SVG as a document. The policy allows its inlined logo and nothing else.
const svgPolicy = { 'Content-Security-Policy': "default-src 'none'; img-src data:; sandbox" };

function sendImage(
  response: ServerResponse,
  { id, format, linkKey, updatedAt }: PublicQr,
  image: Uint8Array,
  countDownload: QrImageHandlerOptions['countDownload'],
): void {
  const { url, method, headers } = response.req;
  // Identifies the image by its change: hashing an image of megabytes takes milliseconds.
  const etag = `"${hash('sha256', `${id} ${updatedAt}`, 'base64url').slice(0, 22)}"`;
  const common = {
    ETag: etag,
    // Caches must revalidate the image, so a change is visible at once.
    'Cache-Control': 'public, no-cache',
    'X-Request-Id': requestIdOf(headers['x-request-id']),
  };
  if (matchesEtag(etag, headers['if-none-match'])) {
    response.writeHead(304, common).end();
    return;
  }
  const isAttachment = /[?&]download=1(?:&|$)/.test(url as string);
  const disposition = isAttachment ? 'attachment' : 'inline';
  // Imported codes have slashes and dots, too.
  const name = linkKey?.replaceAll(/[/.]/g, '-') ?? id;
  const fields = {
    ...common,
    'Content-Type': mediaTypes[format],
    'Content-Length': image.length,
    'Content-Disposition': `${disposition}; filename="qr-${name}.${format}"`,
    'X-Content-Type-Options': 'nosniff',
    ...(format === 'svg' && svgPolicy),
  };
  const respond = () => response.writeHead(200, fields).end(image);
  if (method === 'HEAD') response.writeHead(200, fields).end();
  // The image of a preview page is no download.
  else if (!isAttachment && /[?&]preview=1(?:&|$)/.test(url as string)) respond();
  else countDownload(id, respond);
}

/** Sends a page or JSON, depending on Accept. The default is JSON for a download, else a page. */
function refuse(response: ServerResponse, isPreview: boolean, error: ApiError, page: Page): void {
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

// A client stores one tag for an image. Tens of thousands of tags would block the event loop.
const maxIfNoneMatchLength = 4_096;

/**
 * Returns whether an If-None-Match header matches, by weak comparison: RFC 9110 §13.1.2. Reads only the
 * first 4,096 characters of the header.
 */
function matchesEtag(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const tags = ifNoneMatch.slice(0, maxIfNoneMatchLength).split(',');
  return tags.some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
