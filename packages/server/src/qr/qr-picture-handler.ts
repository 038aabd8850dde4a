import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../contract/api-error.js';
import { errorHeaders, toApiError } from '../http/error-response.js';
import { prefersJson } from '../http/prefers-json.js';
import { requestIdOf, stableRequestIdOf } from '../http/request-id.js';
import { sendError, sendPage } from '../http/send-response.js';
import { picturePageHeaders } from '../pages/page.js';
import { qrGonePage, qrNotFoundPage, qrPage, qrUnavailablePage } from '../pages/qr-pages.js';
import { isNamedBy, pictureCacheControl, type QrPicture } from './qr-picture.js';
import type { FoundPicture, QrPictureCache } from './qr-picture-cache.js';

export interface QrPictureHandlerOptions {
  readonly cache: QrPictureCache;
  /** Counts a download, keeps that, and then has it answered. */
  readonly countDownload: (id: string, answer: () => void) => void;
  readonly onError: (error: unknown, requestId: string) => void;
}

type Place = 'download' | 'preview';

const paths: Readonly<Record<Place, RegExp>> = {
  download: /^\/api\/qr\/([^/?]+)\/download(?:\?|$)/,
  preview: /^\/qr\/([^/?]+)(?:\?|$)/,
};
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Answers pictures of QR codes and the pages that show them, to anybody. As links do, it stands
 * before the API's router. Neither is a visit of a link, so neither can be taken for a scan.
 */
export class QrPictureHandler {
  readonly #options: QrPictureHandlerOptions;

  constructor(options: QrPictureHandlerOptions) {
    this.#options = options;
  }

  /** Answers the request when it is for a picture or its page; false when it is for somebody else. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url as string;
    const place: Place = url.startsWith('/qr/') ? 'preview' : 'download';
    const id = paths[place].exec(url)?.[1]?.toLowerCase();
    if (id === undefined) return false;
    try {
      const cached = this.#options.cache.peek(id);
      if (cached) this.#answer(request, response, place, cached);
      else {
        this.#load(request, response, place, id).catch((error) =>
          this.#fail(request, response, place, error),
        );
      }
    } catch (error) {
      this.#fail(request, response, place, error);
    }
    return true;
  }

  async #load(
    request: IncomingMessage,
    response: ServerResponse,
    place: Place,
    id: string,
  ): Promise<void> {
    const found = uuid.test(id) ? await this.#options.cache.load(id) : undefined;
    this.#answer(request, response, place, found);
  }

  #answer(
    request: IncomingMessage,
    response: ServerResponse,
    place: Place,
    found: FoundPicture,
  ): void {
    if (found === undefined) this.#refuse(request, response, place, unknown, qrNotFoundPage);
    else if (found === 'gone') this.#refuse(request, response, place, gone, qrGonePage);
    else if (request.method !== 'GET' && request.method !== 'HEAD') {
      sendError(request, response, methodNotAllowed);
    } else if (place === 'preview') {
      const page = qrPage({
        ...found,
        picture: found.bytes,
        downloadUrl: `/api/qr/${found.id}/download`,
      });
      sendPage(request, response, 200, page, { fixed: picturePageHeaders });
    } else this.#send(request, response, found);
  }

  #send(request: IncomingMessage, response: ServerResponse, picture: QrPicture): void {
    const requestId = requestIdOf(request.headers['x-request-id']);
    if (isNamedBy(picture.etag, request.headers['if-none-match'])) {
      response.writeHead(304, [
        'ETag',
        picture.etag,
        'Cache-Control',
        pictureCacheControl,
        'X-Request-Id',
        requestId,
      ]);
      response.end();
      return;
    }
    const { shown, saved } = picture.headers;
    const isSaved = /[?&]download=1(?:&|$)/.test(request.url as string);
    const headers = [...(isSaved ? saved : shown), 'X-Request-Id', requestId];
    if (request.method === 'HEAD') {
      response.writeHead(200, headers);
      response.end();
      return;
    }
    // Called later, among those of other requests.
    this.#options.countDownload(picture.id, () => {
      try {
        response.writeHead(200, headers);
        response.end(picture.bytes);
      } catch (error) {
        this.#fail(request, response, 'download', error);
      }
    });
  }

  /** A page for people, the envelope for programs. Who asks for a picture is a program, unless it says otherwise. */
  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    place: Place,
    error: ApiError,
    page: string,
  ): void {
    const { accept } = request.headers;
    const isPerson =
      !prefersJson(accept) && (place === 'preview' || /\btext\/html\b/i.test(accept ?? ''));
    if (isPerson) {
      sendPage(request, response, error.status, page, { headers: errorHeaders(error) });
    } else sendError(request, response, error);
  }

  /** Never throws: it is the end of promises and callbacks. */
  #fail(request: IncomingMessage, response: ServerResponse, place: Place, error: unknown): void {
    this.#options.onError(error, stableRequestIdOf(request));
    try {
      if (response.headersSent || response.destroyed) response.destroy();
      else this.#refuse(request, response, place, toApiError(error), qrUnavailablePage);
    } catch (second) {
      this.#options.onError(second, stableRequestIdOf(request));
      response.destroy();
    }
  }
}

const unknown = new ApiError('NOT_FOUND', 'There is no such QR code');
const gone = new ApiError('GONE', 'This QR code was deleted');
const methodNotAllowed = new ApiError('METHOD_NOT_ALLOWED', 'QR codes answer GET, HEAD here', {
  headers: { Allow: 'GET, HEAD' },
});
