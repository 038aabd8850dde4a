import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { ApiError } from '../contract/api-error.js';
import { errorHeaders, toApiError } from '../http/error-response.js';
import { prefersJson } from '../http/prefers-json.js';
import { requestIdOf, stableRequestIdOf } from '../http/request-id.js';
import { sendError, sendPage } from '../http/send-response.js';
import type { LoadingCache } from '../loading-cache.js';
import { imagePageHeaders } from '../pages/page.js';
import { qrGonePage, qrNotFoundPage, qrPage, qrUnavailablePage } from '../pages/qr-pages.js';
import { type FoundImage, imageCacheControl, matchesEtag, type QrImage } from './qr-image.js';

export interface QrImageHandlerOptions {
  readonly cache: LoadingCache<FoundImage>;
  /** Counts a download durably, and then calls `respond`. */
  readonly countDownload: (id: string, respond: () => void) => void;
  readonly onError: (error: unknown, requestId: string) => void;
}

type Route = 'download' | 'preview';

const paths: Readonly<Record<Route, RegExp>> = {
  download: /^\/api\/qr\/([^/?]+)\/download(?:\?|$)/,
  preview: /^\/qr\/([^/?]+)(?:\?|$)/,
};
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Serves the images of QR codes and their preview pages, without authentication and before the
 * API's router. Neither is a visit of a link, so neither counts as a scan.
 */
export class QrImageHandler {
  readonly #options: QrImageHandlerOptions;

  constructor(options: QrImageHandlerOptions) {
    this.#options = options;
  }

  /** Returns false, and does not respond, when the path is neither a download nor a preview. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url as string;
    const route: Route = url.startsWith('/qr/') ? 'preview' : 'download';
    const id = paths[route].exec(url)?.[1]?.toLowerCase();
    if (id === undefined) return false;
    try {
      const cached = this.#options.cache.get(id);
      if (cached) this.#respond(request, response, route, cached);
      else {
        this.#load(request, response, route, id).catch((error) =>
          this.#fail(request, response, route, error),
        );
      }
    } catch (error) {
      this.#fail(request, response, route, error);
    }
    return true;
  }

  async #load(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    id: string,
  ): Promise<void> {
    const found = uuid.test(id) ? await this.#options.cache.load(id) : undefined;
    this.#respond(request, response, route, found);
  }

  #respond(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    found: FoundImage | undefined,
  ): void {
    const refuse = (error: ApiError, page: string) =>
      this.#respondWithError(request, response, route, error, page);
    if (found === undefined) refuse(unknown, qrNotFoundPage);
    else if (found === 'deleted') refuse(deleted, qrGonePage);
    else if (request.method !== 'GET' && request.method !== 'HEAD') {
      sendError(request, response, methodNotAllowed);
    } else if (route === 'preview') sendPreview(request, response, found);
    else this.#sendImage(request, response, found);
  }

  #sendImage(request: IncomingMessage, response: ServerResponse, image: QrImage): void {
    const requestId = requestIdOf(request.headers['x-request-id']);
    if (matchesEtag(image.etag, request.headers['if-none-match'])) {
      response.writeHead(304, [
        'ETag',
        image.etag,
        'Cache-Control',
        imageCacheControl,
        'X-Request-Id',
        requestId,
      ]);
      response.end();
      return;
    }
    const { inline, attachment } = image.headers;
    const isAttachment = /[?&]download=1(?:&|$)/.test(request.url as string);
    const headers = [...(isAttachment ? attachment : inline), 'X-Request-Id', requestId];
    if (request.method === 'HEAD') {
      response.writeHead(200, headers);
      response.end();
      return;
    }
    // The callback runs outside `handle`, so it contains its own errors.
    this.#options.countDownload(image.id, () => {
      try {
        response.writeHead(200, headers);
        response.end(image.bytes);
      } catch (error) {
        this.#fail(request, response, 'download', error);
      }
    });
  }

  /** Sends a page or JSON, depending on Accept. The default is JSON for a download, else a page. */
  #respondWithError(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    error: ApiError,
    page: string,
  ): void {
    const { accept } = request.headers;
    const wantsPage =
      !prefersJson(accept) && (route === 'preview' || /\btext\/html\b/i.test(accept ?? ''));
    if (wantsPage) {
      sendPage(request, response, error.status, page, errorHeaders(error));
    } else sendError(request, response, error);
  }

  /** Reports an error and responds with it. Never throws: no caller could handle that. */
  #fail(request: IncomingMessage, response: ServerResponse, route: Route, error: unknown): void {
    this.#options.onError(error, stableRequestIdOf(request));
    try {
      if (response.headersSent || response.destroyed) response.destroy();
      else this.#respondWithError(request, response, route, toApiError(error), qrUnavailablePage);
    } catch (second) {
      this.#options.onError(second, stableRequestIdOf(request));
      response.destroy();
    }
  }
}

// Divisible by three, so that the slices have no padding.
const sliceBytes = 48 * 1024;

/**
 * Sends the preview page in slices. Each slice is sent after the client has received the previous ones.
 * A page of megabytes neither blocks the event loop nor waits in memory for a slow client.
 */
function sendPreview(request: IncomingMessage, response: ServerResponse, image: QrImage): void {
  const { id, bytes } = image;
  const page = qrPage({ ...image, downloadUrl: `/api/qr/${id}/download` });
  const base64Length = 4 * Math.ceil(bytes.length / 3);
  const textLength = Buffer.byteLength(page.beforeImage) + Buffer.byteLength(page.afterImage);
  response.writeHead(200, [
    ...imagePageHeaders,
    'X-Request-Id',
    requestIdOf(request.headers['x-request-id']),
    'Content-Length',
    String(textLength + base64Length),
  ]);
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  function* slices() {
    yield page.beforeImage;
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      yield bytes.toString('base64', at, at + sliceBytes);
    }
    yield page.afterImage;
  }
  // The only possible error is that the client closed the connection.
  pipeline(Readable.from(slices()), response, () => {});
}

const unknown = new ApiError('NOT_FOUND', 'There is no such QR code');
const deleted = new ApiError('GONE', 'This QR code was deleted');
const methodNotAllowed = new ApiError('METHOD_NOT_ALLOWED', 'Use GET or HEAD', {
  headers: { Allow: 'GET, HEAD' },
});
