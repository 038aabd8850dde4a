import { v7 as newUuid } from 'uuid';
import { invalidField, notFound, validationError } from '../contract/api-error.js';
import type { LinkOwner } from '../contract/caller.js';
import type { ReadPage } from '../contract/json-text.js';
import { type HandlersOf, replyWithChange } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import type { Clock } from '../ports.js';
import { checkIfMatch, nextUpdatedAt } from '../preconditions/if-match.js';
import type { ShortUrl } from '../urls/short-url.js';
import type { UrlReader } from '../urls/url-reader.js';
import { type QrDesign, QrDesignError, type QrLogo } from './drawing/qr-design.js';
import type { QrCreateRequest, QrFilter, QrListQuery, qrRoutes } from './qr-contract.js';
import { mediaTypes } from './qr-image-handler.js';
import {
  type QrCode,
  type QrRecord,
  type QrRepository,
  type RenderedQr,
  StaleQrError,
  toQrRecord,
} from './qr-repository.js';

export interface QrHandlersOptions {
  readonly qrs: QrRepository;
  readonly listQrs: ReadPage<QrRecord, QrFilter>;
  readonly urls: Pick<UrlReader, 'get'>;
  readonly drawVerified: (organizationId: string, design: QrDesign) => Promise<Uint8Array>;
  readonly readLogo: (organizationId: string, url: string) => Promise<QrLogo>;
  /** Returns the start of the payload for a URL: its custom domain, or the public host. */
  readonly publicHost: (url: Pick<ShortUrl, 'hostname'>) => string;
  readonly clock: Clock;
  /** Called after each change and before its response, to invalidate the cached image. */
  readonly onChanged: (id: string) => void;
}

/** The handlers of the QR codes of an organization. Each image is verified before it is stored. */
export function qrHandlers(options: QrHandlersOptions): HandlersOf<typeof qrRoutes> {
  const { qrs, listQrs, urls, drawVerified, readLogo, publicHost, clock, onChanged } = options;

  async function drawCode(qr: QrCode, logo: QrLogo | null): Promise<RenderedQr> {
    const design = { ...qr, payload: qr.qrData, logo };
    const image = await toValidationErrors(() => drawVerified(qr.organizationId, design));
    return { qr, logo, image };
  }

  async function logoAt(organizationId: string, url: string | null): Promise<QrLogo | null> {
    return url === null ? null : toValidationErrors(() => readLogo(organizationId, url));
  }

  /** Returns the public host and short code, or `data` unchanged. Specification, "QR record". */
  async function payloadOf(owner: LinkOwner, { urlId, data }: QrCreateRequest) {
    if (urlId == null) {
      const message = 'is required, because the API key is restricted to some links';
      if (owner.restriction) throw invalidField('urlId', message);
      // The contract requires exactly one of the two.
      return data as string;
    }
    const url = await urls.get(owner, urlId);
    return `${publicHost(url)}/${url.shortCode}`;
  }

  async function drawNew(owner: LinkOwner, body: QrCreateRequest): Promise<RenderedQr> {
    const { organizationId } = owner;
    const {
      urlId = null,
      logoUrl = null,
      errorCorrectionLevel: errorCorrection,
      data: _,
      ...look
    } = body;
    const qrData = await payloadOf(owner, body);
    const logo = await logoAt(organizationId, logoUrl);
    const now = clock();
    const qr: QrCode = {
      ...look,
      id: newUuid(),
      organizationId,
      urlId,
      qrData,
      errorCorrection,
      logoUrl,
      downloadCount: 0,
      scanCount: 0,
      createdAt: now,
      updatedAt: now,
    };
    return drawCode(qr, logo);
  }

  const replyWithCodes = ({ organizationId, restriction }: LinkOwner, query: QrListQuery) =>
    replyWithPage(organizationId, { ...query, restriction }, listQrs);

  return {
    async createQr({ caller, body, context }) {
      // A repeated request must not fetch the logo again, because the logo may no longer exist.
      const first = await qrs.findFirstResult(context.write);
      const { result, replayed } =
        first ?? (await qrs.create(await drawNew(caller, body), context.write));
      return { status: 201, replayed, data: toQrRecord(result) };
    },

    async previewQrDesign({ caller, body }) {
      const { qr, image } = await drawNew(caller, body);
      const { qrData, format, size } = qr;
      const data = `data:${mediaTypes[format]};base64,${Buffer.from(image).toString('base64')}`;
      return { status: 200, data: { qrData, format, size, image: data } };
    },

    listQrs: ({ caller, query }) => replyWithCodes(caller, query),

    async listUrlQrs({ caller, params, query }) {
      await urls.get(caller, params.id);
      return replyWithCodes(caller, { ...query, urlId: params.id });
    },

    async getQr({ caller, params }) {
      const qr = found(await qrs.find(caller, params.id), params.id);
      return { status: 200, data: toQrRecord(qr) };
    },

    async updateQr({ caller, params: { id }, body, context }) {
      const first = await qrs.findFirstResult(context.write);
      if (first) return { status: 200, replayed: true, data: toQrRecord(first.result) };
      const { errorCorrectionLevel, ...look } = body;
      let newLogo: QrLogo | null = null;
      // Starts again if another request has changed the code since the read. No change is lost.
      for (;;) {
        const { logo: oldLogo, ...old } = found(await qrs.findWithLogo(caller, id), id);
        // Only this version is replaced.
        checkIfMatch(context.ifMatch, old.updatedAt);
        if (look.logoUrl != null) newLogo ??= await logoAt(caller.organizationId, look.logoUrl);
        const qr: QrCode = {
          ...old,
          // A parsed body has no undefined values.
          ...(look as Partial<QrCode>),
          errorCorrection: errorCorrectionLevel ?? old.errorCorrection,
          updatedAt: nextUpdatedAt(old.updatedAt, clock()),
        };
        const rendered = await drawCode(qr, look.logoUrl === undefined ? oldLogo : newLogo);
        try {
          const { result, replayed } = await qrs.replace(rendered, old.updatedAt, context.write);
          return { status: 200, replayed, data: toQrRecord(result) };
        } catch (error) {
          if (!(error instanceof StaleQrError)) throw error;
        } finally {
          // Also after an error: the commit may have succeeded.
          onChanged(id);
        }
      }
    },

    deleteQr({ params: { id }, context }) {
      const deleting = qrs.delete(id, context).finally(() => onChanged(id));
      return replyWithChange(deleting, 'QR code', id, toQrRecord);
    },
  };
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

function found<T>(qr: T | undefined, id: string): T {
  if (qr !== undefined) return qr;
  throw notFound('QR code', id);
}
