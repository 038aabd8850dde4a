import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { PagedList } from '../paginate.js';
import type { QrImage } from '../read-response.js';
import type { AnyTransport } from '../send-request.js';
import type {
  QrCreateRequest,
  QrListQuery,
  QrPage,
  QrPreview,
  QrRecord,
  QrScans,
  QrUpdateRequest,
  ScansQuery,
} from '../types.js';
import { Resource } from './resource.js';

/** A list of QR codes: one page when awaited, all when iterated. */
export interface QrList extends PagedList<QrRecord, QrPage> {}

/** QR codes of links and texts: `shorty.qr`. */
export class QrResource extends Resource {
  /**
   * Creates a code for a link (`urlId`) or for a text (`data`). Rejects with ValidationError if
   * scanners could not read the code; the message has the reason and a remedy. Rejects with
   * NotFoundError if there is no such link, and with QuotaExceededError.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const code = await shorty.qr.create({ urlId: '42', format: 'svg', stylePreset: 'rounded' });
   * console.log(code.qrData, code.previewUrl);
   * ```
   */
  create(body: QrCreateRequest, options?: RequestOptions): ApiPromise<QrRecord> {
    return this.api.send('POST /api/v1/qr', { body }, options);
  }

  /**
   * Draws a code without creating it, and returns its image as a data URL. Nothing is stored or charged.
   * Rejects with ValidationError if scanners could not read the code, and with NotFoundError if there is
   * no such link.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { image } = await shorty.qr.preview({ data: 'https://example.com', stylePreset: 'dots' });
   * console.log(image.slice(0, 22)); // data:image/png;base64,
   * ```
   */
  preview(body: QrCreateRequest, options?: RequestOptions): ApiPromise<QrPreview> {
    return this.api.send('POST /api/v1/qr/preview', { body }, options);
  }

  /**
   * Lists codes, newest first. `urlId` and `standalone` filter the list. `await` reads one page of
   * `limit` codes (25 by default), and `for await` reads all codes. No request is sent before.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * for await (const code of shorty.qr.list({ urlId: '42' })) console.log(code.id, code.scanCount);
   * ```
   */
  list(query: QrListQuery = {}, options?: RequestOptions): QrList {
    return this.api.list('GET /api/v1/qr', { query }, options);
  }

  /**
   * Reads a code. Rejects with NotFoundError if the organization has no code with this id.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { downloadCount, scanCount } = await shorty.qr.get('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47');
   * console.log(downloadCount, scanCount);
   * ```
   */
  get(id: string, options?: RequestOptions): ApiPromise<QrRecord> {
    return this.api.send('GET /api/v1/qr/{id}', { params: { id } }, options);
  }

  /**
   * Changes the design of a code. `logoUrl: null` removes its logo. Its content never changes. Rejects
   * with NotFoundError, with ValidationError if scanners could not read the changed code, and with
   * ConflictError if `ifMatch` does not match.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * await shorty.qr.update('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47', { size: 1024, format: 'webp' });
   * ```
   */
  update(id: string, patch: QrUpdateRequest, options?: RequestOptions): ApiPromise<QrRecord> {
    return this.api.send('PATCH /api/v1/qr/{id}', { params: { id }, body: patch }, options);
  }

  /**
   * Deletes a code and returns its last state. Printed copies still lead to its link. Rejects with
   * NotFoundError, and with ConflictError if `ifMatch` does not match.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { qrData } = await shorty.qr.delete('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47');
   * console.log(qrData);
   * ```
   */
  delete(id: string, options?: RequestOptions): ApiPromise<QrRecord> {
    return this.api.send('DELETE /api/v1/qr/{id}', { params: { id } }, options);
  }

  /**
   * Reads the scans of a code. The default is the last 30 days, grouped by day. Bots do not count.
   * Rejects with NotFoundError, and with ValidationError for an invalid window.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { totals, breakdowns } = await shorty.qr.scans('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47');
   * console.log(totals.totalScans, breakdowns.scannerApp);
   * ```
   */
  scans(id: string, query: ScansQuery = {}, options?: RequestOptions): ApiPromise<QrScans> {
    return this.api.send('GET /api/v1/qr/{id}/scans', { params: { id }, query }, options);
  }

  /**
   * Downloads the image of a code in its format. Images are public, so no token is sent.
   * Rejects with NotFoundError, and with GoneError if the code was deleted. Each download counts in
   * `downloadCount`.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { bytes, contentType } = await shorty.qr.download('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47');
   * console.log(contentType, bytes.length);
   * ```
   */
  download(id: string, options?: RequestOptions): ApiPromise<QrImage> {
    return (this.api as AnyTransport).send(
      'GET /api/qr/{id}/download',
      { params: { id } },
      options,
    );
  }
}
