import { ApiError, validationError } from '../contract/api-error.js';
import type { IdempotentRequest } from '../idempotency/run-once.js';
import type { Clock, NewId } from '../ports.js';
import type { ShortUrl } from '../urls/short-url.js';
import type { UrlService } from '../urls/url-service.js';
import { QrDesignError, type QrLogo } from './drawing/qr-design.js';
import type { QrRenderer } from './drawing/qr-renderer.js';
import { type FetchLogo, LogoFetchError } from './fetch-logo.js';
import type { LogoDecoder } from './logo/logo-decoder.js';
import { type DrawnQr, designOf, type QrCode } from './qr-code.js';
import type { QrCreateRequest, QrUpdateRequest } from './qr-contract.js';
import type { CreateQrOutcome, QrFilter, QrPage, QrRepository } from './qr-repository.js';

export interface QrServiceOptions {
  readonly qrs: QrRepository;
  readonly listQrs: (organizationId: string, filter: QrFilter) => Promise<QrPage>;
  readonly urls: Pick<UrlService, 'get'>;
  readonly renderer: QrRenderer;
  readonly logos: Pick<LogoDecoder, 'decode'>;
  readonly fetchLogo: FetchLogo;
  /** What codes of URLs begin with, by the custom domain of the URL if it has one. */
  readonly publicHost: (url: Pick<ShortUrl, 'hostname'>) => string;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Called after each change, before it is answered, so that the next download obeys it. */
  readonly onChanged: (id: string) => void;
}

/** The rules of QR codes: what may be created and changed, and that all of it scans. */
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
    // Asked first: a logo that was there the first time may be gone today.
    const first = idempotency && (await qrs.findFirstOutcome(idempotency));
    const { result, replayed } =
      first ?? (await qrs.create(await this.#draw(organizationId, body), idempotency));
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

  /** The codes of a URL, which the organization must have. */
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
    const { logoUrl, errorCorrectionLevel, ...settings } = patch;
    await this.get(organizationId, id);
    const newLogo =
      logoUrl === undefined ? undefined : await this.#readLogo(organizationId, logoUrl);
    // Once more when the code was changed while this one was drawn: then that change is kept.
    for (;;) {
      const found = await qrs.findWithLogo(organizationId, id);
      if (!found) throw notFound();
      const qr: QrCode = {
        ...found.qr,
        ...withoutUndefined(settings),
        ...(errorCorrectionLevel && { errorCorrection: errorCorrectionLevel }),
        ...(logoUrl !== undefined && { logoUrl }),
        version: found.qr.version + 1,
        updatedAt: clock(),
      };
      const logo = newLogo === undefined ? found.logo : newLogo;
      const drawn = await this.#drawVerified(qr, logo);
      try {
        if (await qrs.replace(drawn)) return qr;
      } finally {
        // Even when the commit's answer was lost: what is cached may be out of date.
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

  async #draw(organizationId: string, body: QrCreateRequest): Promise<DrawnQr> {
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

  /** Specification, "QR record": the public host and the short code, or the data as it was sent. */
  async #payload(organizationId: string, { urlId, data }: QrCreateRequest): Promise<string> {
    // The contract lets through exactly one of the two.
    if (urlId == null) return data as string;
    const url = await this.#options.urls.get(organizationId, urlId);
    return `${this.#options.publicHost(url)}/${url.shortCode}`;
  }

  async #readLogo(organizationId: string, logoUrl: string | null): Promise<QrLogo | null> {
    if (logoUrl === null) return null;
    const { fetchLogo, logos, renderer } = this.#options;
    return refuseFaults(async () => {
      const raster = await logos.decode(organizationId, await fetchLogo(logoUrl));
      return renderer.encodeLogo(organizationId, raster);
    });
  }

  async #drawVerified(qr: QrCode, logo: QrLogo | null): Promise<DrawnQr> {
    const { renderer } = this.#options;
    const picture = await refuseFaults(() =>
      renderer.drawVerified(qr.organizationId, designOf(qr, logo)),
    );
    return { qr, logo, picture };
  }
}

/** What the caller chose wrongly is a fault of that field. */
async function refuseFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LogoFetchError) {
      throw validationError([{ path: 'logoUrl', message: error.message }]);
    }
    if (error instanceof QrDesignError) {
      throw validationError([{ path: error.field, message: error.message }]);
    }
    throw error;
  }
}

function createdQr(outcome: CreateQrOutcome, replayed: boolean): QrCode {
  if (outcome.status === 'created') return outcome.qr;
  throw new ApiError(
    'QUOTA_EXCEEDED',
    "The organization has generated all of this month's QR codes that its plan includes",
    { headers: replayed ? { 'Idempotent-Replayed': 'true' } : {} },
  );
}

function notFound(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such QR code in this organization');
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}
