import { ApiError, validationError } from '../contract/api-error.js';
import type { IdempotentRequest } from '../idempotency/with-idempotency-key.js';
import type { Clock, NewId } from '../ports.js';
import type { ShortUrl } from '../urls/short-url.js';
import type { UrlRepository } from '../urls/url-repository.js';
import { QrDesignError, type QrLogo } from './drawing/qr-design.js';
import type { QrRenderer } from './drawing/qr-renderer.js';
import type { LogoFetcher } from './fetch-logo.js';
import type { LogoDecoder } from './logo/logo-decoder.js';
import type { QrCode, RenderedQr } from './qr-code.js';
import type { QrCreateRequest, QrUpdateRequest } from './qr-contract.js';
import type { CreateQrOutcome, QrFilter, QrPage, QrRepository } from './qr-repository.js';

export interface QrServiceOptions {
  readonly qrs: QrRepository;
  readonly listQrs: (organizationId: string, filter: QrFilter) => Promise<QrPage>;
  readonly urls: Pick<UrlRepository, 'get'>;
  readonly renderer: QrRenderer;
  readonly logos: Pick<LogoDecoder, 'decode'>;
  readonly logoFetcher: Pick<LogoFetcher, 'fetch'>;
  /** Returns the start of the payload for a URL: its custom domain, or the public host. */
  readonly publicHost: (url: Pick<ShortUrl, 'hostname'>) => string;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Called after each change and before its response, to invalidate the cached image. */
  readonly onChanged: (id: string) => void;
}

/** Creates and changes QR codes. Verifies each image before it is stored. */
export class QrService {
  readonly #options: QrServiceOptions;

  constructor(options: QrServiceOptions) {
    this.#options = options;
  }

  async create(
    organizationId: string,
    body: QrCreateRequest,
    idempotency: IdempotentRequest | undefined,
  ): Promise<{ qr: QrCode; replayed: boolean }> {
    const { qrs } = this.#options;
    // A repeated request must not fetch the logo again, because the logo may no longer exist.
    const first = idempotency && (await qrs.findFirstOutcome(idempotency));
    const { result, replayed } =
      first ?? (await qrs.create(await this.#render(organizationId, body), idempotency));
    return { qr: createdQr(result, replayed), replayed };
  }

  async get(organizationId: string, id: string): Promise<QrCode> {
    const qr = await this.#options.qrs.find(organizationId, id);
    if (!qr) throw notFound();
    return qr;
  }

  list(organizationId: string, filter: QrFilter): Promise<QrPage> {
    return this.#options.listQrs(organizationId, filter);
  }

  /** Lists the codes of a URL. Throws NOT_FOUND when the organization has no such URL. */
  async listOfUrl(
    organizationId: string,
    urlId: number,
    filter: Pick<QrFilter, 'limit' | 'offset'>,
  ): Promise<QrPage> {
    await this.#options.urls.get(organizationId, urlId);
    return this.list(organizationId, { ...filter, urlId });
  }

  async update(organizationId: string, id: string, patch: QrUpdateRequest): Promise<QrCode> {
    const { qrs, clock, onChanged } = this.#options;
    const { logoUrl } = patch;
    await this.get(organizationId, id);
    const newLogo =
      logoUrl === undefined ? undefined : await this.#readLogo(organizationId, logoUrl);
    // Starts again if another request has changed the code since the read. No change is lost.
    for (;;) {
      const found = await qrs.findWithLogo(organizationId, id);
      if (!found) throw notFound();
      const qr: QrCode = {
        ...found.qr,
        size: patch.size ?? found.qr.size,
        format: patch.format ?? found.qr.format,
        foregroundColor: patch.foregroundColor ?? found.qr.foregroundColor,
        backgroundColor: patch.backgroundColor ?? found.qr.backgroundColor,
        errorCorrection: patch.errorCorrectionLevel ?? found.qr.errorCorrection,
        logoUrl: logoUrl === undefined ? found.qr.logoUrl : logoUrl,
        version: found.qr.version + 1,
        updatedAt: clock(),
      };
      const logo = newLogo === undefined ? found.logo : newLogo;
      const rendered = await this.#drawVerified(qr, logo);
      try {
        if (await qrs.replace(rendered)) return qr;
      } finally {
        // Also after an error: the commit may have succeeded.
        onChanged(id);
      }
    }
  }

  async delete(organizationId: string, id: string): Promise<QrCode> {
    const { qrs, clock, onChanged } = this.#options;
    try {
      const qr = await qrs.delete(organizationId, id, clock());
      if (!qr) throw notFound();
      return qr;
    } finally {
      onChanged(id);
    }
  }

  async #render(organizationId: string, body: QrCreateRequest): Promise<RenderedQr> {
    const { clock, newId } = this.#options;
    const urlId = body.urlId ?? null;
    const qrData = await this.#payload(organizationId, body);
    const logo = await this.#readLogo(organizationId, body.logoUrl ?? null);
    const now = clock();
    const qr: QrCode = {
      id: newId(),
      organizationId,
      urlId,
      qrData,
      format: body.format,
      size: body.size,
      errorCorrection: body.errorCorrectionLevel,
      foregroundColor: body.foregroundColor,
      backgroundColor: body.backgroundColor,
      logoUrl: body.logoUrl ?? null,
      stylePreset: body.stylePreset,
      version: 1,
      downloadCount: 0,
      scanCount: 0,
      createdAt: now,
      updatedAt: now,
    };
    return this.#drawVerified(qr, logo);
  }

  /** Returns the public host and short code, or `data` unchanged. Specification, "QR record". */
  async #payload(organizationId: string, { urlId, data }: QrCreateRequest): Promise<string> {
    // The contract requires exactly one of the two.
    if (urlId == null) return data as string;
    const url = await this.#options.urls.get(organizationId, urlId);
    return `${this.#options.publicHost(url)}/${url.shortCode}`;
  }

  async #readLogo(organizationId: string, logoUrl: string | null): Promise<QrLogo | null> {
    if (logoUrl === null) return null;
    const { logoFetcher, logos, renderer } = this.#options;
    return toValidationErrors(async () => {
      const image = await logoFetcher.fetch(organizationId, logoUrl);
      const raster = await logos.decode(organizationId, image);
      return renderer.encodeLogo(organizationId, raster);
    });
  }

  async #drawVerified(qr: QrCode, logo: QrLogo | null): Promise<RenderedQr> {
    const { renderer } = this.#options;
    const image = await toValidationErrors(() =>
      renderer.drawVerified(qr.organizationId, { ...qr, payload: qr.qrData, logo }),
    );
    return { qr, logo, image };
  }
}

/** Turns errors of logos and designs into validation errors of their fields. */
async function toValidationErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof QrDesignError)) throw error;
    throw validationError([{ path: error.field, message: error.message }]);
  }
}

function createdQr(outcome: CreateQrOutcome, replayed: boolean): QrCode {
  if (outcome.status === 'created') return outcome.qr;
  throw new ApiError(
    'QUOTA_EXCEEDED',
    'The organization has used all QR codes of this month that its plan includes. Wait for the next month, or change the plan',
    { replayed },
  );
}

function notFound(): ApiError {
  return new ApiError('NOT_FOUND', 'This organization has no QR code with this id');
}
