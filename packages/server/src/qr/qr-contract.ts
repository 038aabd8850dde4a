import { z } from 'zod';
import type { LinkRestriction } from '../contract/caller.js';
import { defineRoute } from '../contract/define-route.js';
import {
  arbitraryText,
  byteLimit,
  checkedText,
  instant,
  integer,
  type ListFilter,
  pageOf,
  paging,
  queryBoolean,
  urlIdInput,
  urlIdParam,
  uuidParam,
  webAddress,
} from '../contract/fields.js';
import { defineEvent } from '../events/define-event.js';
import { findTargetUrlError } from '../network/target-url.js';
import {
  backgrounds,
  errorCorrections,
  formats,
  quietZone,
  stylePresets,
} from './drawing/qr-design.js';

/** 2 KB of UTF-8. Specification, "Limits". */
const maxDataBytes = 2048;

const minSize = 200;
const maxSize = 2048;

const data = arbitraryText(maxDataBytes).meta({
  description: `The text of a standalone code: any characters except U+0000, at most ${maxDataBytes} bytes in UTF-8 and at most the capacity of errorCorrectionLevel. Control characters are encoded as they are, for example U+001D of GS1. Not together with urlId.`,
  example: 'WIFI:T:WPA;S:Guests;P:open sesame;;',
});

const size = integer(minSize, maxSize).meta({
  description: 'Width and height of the image in pixels, including the quiet zone.',
  example: 512,
});

const format = z.enum(formats).meta({ id: 'QrFormat' });
const color = z
  .string()
  .regex(/^#[0-9A-Fa-f]{6}$/, 'must be # and six hexadecimal digits, such as #1A2B3C')
  .meta({ example: '#000000' });

const maxMargin = 16;
const margin = integer(0, maxMargin).meta({
  description: `The least width of the quiet zone, in modules. Scanners need ${quietZone}: with fewer, leave the rest of it free around the image.`,
  example: quietZone,
});

const background = z
  .enum(backgrounds)
  .describe(
    'transparent: the image has no background. It is checked on backgroundColor: put it on this color.',
  );

const errorCorrectionLevel = z
  .enum(errorCorrections)
  .describe('How much of the code may be damaged: 7, 15, 25 or 30 %. Use Q or H with a logo.');

const maxLogoUrlBytes = 2048;
const logoUrl = checkedText(findLogoUrlError).meta({
  description:
    'An image for the centre of the code: a PNG, JPEG or WebP of at most 1 MB, or an SVG of at most 64 KB made of shapes, paths and gradients, without text, style sheets, filters or images. The server fetches it once, during this request. Null means no logo.',
  pattern: webAddress,
  ...byteLimit(maxLogoUrlBytes),
  example: 'https://example.com/logo.png',
});

function findLogoUrlError(text: string): string | undefined {
  const error = findTargetUrlError(text);
  if (error) return error;
  if (Buffer.byteLength(text) > maxLogoUrlBytes) {
    return `must be at most ${maxLogoUrlBytes} bytes long`;
  }
  const { username, password } = new URL(text);
  if (username === '' && password === '') return undefined;
  return 'must not contain a user name or password before the host (user@host)';
}

/** How a code looks, as creates, updates and records have it. */
const look = {
  size,
  format,
  foregroundColor: color,
  backgroundColor: color.meta({ example: '#FFFFFF' }),
  background,
  margin,
  errorCorrectionLevel,
};

export const qrCreateRequest = z
  .strictObject({
    urlId: urlIdInput.nullish().describe('The URL that the code leads to. Not together with data.'),
    data: data.nullish(),
    size: size.default(512),
    format: format.default('png'),
    foregroundColor: look.foregroundColor.default('#000000'),
    backgroundColor: look.backgroundColor.default('#FFFFFF'),
    background: background.default('solid'),
    margin: margin.default(quietZone),
    logoUrl: logoUrl.nullish(),
    errorCorrectionLevel: errorCorrectionLevel.default('M'),
    stylePreset: z.enum(stylePresets).default('default'),
  })
  .superRefine(({ urlId, data }, context) => {
    if ((urlId == null) !== (data == null)) return;
    const isMissing = urlId == null;
    const message = isMissing
      ? 'or data is required: a code leads to a URL or contains a text'
      : 'must not be combined with urlId';
    context.addIssue({ code: 'custom', path: [isMissing ? 'urlId' : 'data'], message });
  })
  .meta({ id: 'QrCreateRequest' });

export const qrUpdateRequest = z
  .strictObject({ ...look, logoUrl: logoUrl.nullable() })
  .partial()
  .meta({
    id: 'QrUpdateRequest',
    description:
      'The fields to change. The payload of a code never changes: to lead elsewhere, create another code and delete this one.',
  });

export const qrRecord = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    urlId: z.string().nullable().meta({
      description: 'Null for a standalone code.',
      example: '42',
    }),
    organizationId: z.string().meta({ format: 'uuid' }),
    qrData: z.string().meta({
      description: 'The payload of the code. It never changes.',
      example: 'https://sho.example/aB3xY9q',
    }),
    format,
    size: z.int().min(minSize).max(maxSize),
    errorCorrection: z.enum(errorCorrections),
    foregroundColor: z.string().meta({ example: '#000000' }),
    backgroundColor: z.string().meta({ example: '#FFFFFF' }),
    background,
    margin,
    logoUrl: z.string().nullable(),
    stylePreset: z.enum(stylePresets),
    downloadCount: z.int().min(0).describe('Downloads of the image so far.'),
    scanCount: z.int().min(0).describe('Scans so far.'),
    downloadUrl: z.string().meta({
      description: 'A path on this server.',
      example: '/api/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11/download',
    }),
    previewUrl: z.string().meta({
      description: 'A path on this server.',
      example: '/qr/01981f2e-7d1c-7c59-8a5f-5d9f6d0b7c11',
    }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'QrRecord' });

const qrPreview = qrRecord
  .pick({ qrData: true, format: true, size: true })
  .extend({
    image: z.string().meta({
      description: 'The image as a data URL, for the `src` of an image element.',
      example: 'data:image/png;base64,iVBORw0KGgo=',
    }),
  })
  .meta({ id: 'QrPreview' });

const ofLinks = { tag: 'QR codes', takesRestrictedKeys: true } as const;
const ofOneCode = {
  ...ofLinks,
  params: z.strictObject({ id: uuidParam }),
  errors: ['NOT_FOUND'],
} as const;
const verification =
  'The server draws the image and decodes it before it stores the code. A code that does not decode is refused with the reason and an alternative.';

const qrListQuery = z.strictObject({
  ...paging,
  urlId: urlIdParam.optional().describe('Only codes of this URL.'),
  standalone: queryBoolean
    .optional()
    .describe('true: only codes without a URL; false: only codes with one.'),
});

export const qrRoutes = [
  defineRoute('createQr', 'POST /api/v1/qr', {
    ...ofLinks,
    hasVersions: true,
    summary: 'Create a QR code',
    description: verification,
    access: { scope: 'qr:write' },
    body: qrCreateRequest,
    responses: { 201: { description: 'The new code', data: qrRecord } },
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  }),
  defineRoute('previewQrDesign', 'POST /api/v1/qr/preview', {
    ...ofLinks,
    isReadOnly: true,
    summary: 'Draw a QR code without creating it',
    description:
      'Draws and decodes the image as a create does, and stores nothing: it is not charged, and its scans are not counted.',
    access: { scope: 'qr:read' },
    body: qrCreateRequest,
    responses: { 200: { description: 'The image', data: qrPreview } },
    errors: ['NOT_FOUND'],
  }),
  defineRoute('listQrs', 'GET /api/v1/qr', {
    ...ofLinks,
    summary: 'List QR codes, newest first',
    access: { scope: 'qr:read' },
    query: qrListQuery,
    responses: { 200: { description: 'One page of codes', data: pageOf(qrRecord) } },
  }),
  defineRoute('listUrlQrs', 'GET /api/v1/urls/{id}/qr', {
    ...ofLinks,
    summary: 'List the QR codes of a URL, newest first',
    access: { scope: 'qr:read' },
    params: z.strictObject({ id: urlIdParam }),
    query: z.strictObject(paging),
    responses: { 200: { description: 'One page of codes', data: pageOf(qrRecord) } },
  }),
  defineRoute('getQr', 'GET /api/v1/qr/{id}', {
    ...ofOneCode,
    hasVersions: true,
    summary: 'Read a QR code',
    access: { scope: 'qr:read' },
    responses: { 200: { description: 'The code', data: qrRecord } },
  }),
  defineRoute('updateQr', 'PATCH /api/v1/qr/{id}', {
    ...ofOneCode,
    hasVersions: true,
    summary: 'Change how a QR code looks',
    description: `${verification} Not charged.`,
    access: { scope: 'qr:write' },
    body: qrUpdateRequest,
    responses: { 200: { description: 'The changed code', data: qrRecord } },
  }),
  defineRoute('deleteQr', 'DELETE /api/v1/qr/{id}', {
    ...ofOneCode,
    hasVersions: true,
    summary: 'Delete a QR code',
    description:
      'Its image and preview answer with 410 from now on, and its scans are no longer counted. Printed copies still lead to its URL. Not charged.',
    access: { scope: 'qr:write' },
    responses: { 200: { description: 'The deleted code', data: qrRecord } },
  }),
] as const;

// Not strict: receivers must accept the additional fields of a newer server.
const eventData = z.object(qrRecord.shape).meta({ id: 'QrEventData' });

export const qrCreated = defineEvent({
  type: 'qr.created',
  data: eventData,
  summary: 'A QR code was created',
});

export const qrDeleted = defineEvent({
  type: 'qr.deleted',
  data: eventData,
  summary: 'A QR code was deleted',
});

export type QrCreateRequest = z.output<typeof qrCreateRequest>;
export type QrListQuery = z.output<typeof qrListQuery>;
export type QrFilter = ListFilter<QrListQuery> & {
  readonly restriction?: LinkRestriction | undefined;
};

const tag = 'QR images';

const params = z.strictObject({
  id: z
    .string()
    .meta({ format: 'uuid', param: { id: 'QrId', description: 'The id of the QR code.' } }),
});

export const qrImageRoutes = [
  defineRoute('downloadQr', 'GET /api/qr/{id}/download', {
    tag,
    summary: 'Download the image of a QR code',
    description:
      'The image in the format of the code, without authentication. Each 200 response to GET counts in downloadCount, except with preview=1; HEAD and 304 do not. With `Accept: text/html`, errors are pages.',
    access: 'public',
    isForVisitors: true,
    params,
    query: z.strictObject({
      download: z
        .literal('1')
        .optional()
        .describe('Makes browsers save the image instead of showing it.'),
      preview: z
        .literal('1')
        .optional()
        .describe('The image of the preview page, which does not count in downloadCount.'),
    }),
    responses: {
      200: {
        description: 'The image',
        mediaType: ['image/png', 'image/svg+xml', 'image/webp'],
      },
      304: {
        description: 'The image has the entity tag of If-None-Match',
        headers: { ETag: 'Identifies the image; it changes with the image.' },
      },
    },
    errors: ['GONE'],
  }),
  defineRoute('previewQr', 'GET /qr/{id}', {
    tag,
    summary: 'Show a QR code on a page',
    description:
      'The image, its payload and download links. Errors are pages, or JSON for `Accept: application/json`.',
    access: 'public',
    isForVisitors: true,
    params,
    responses: { 200: { description: 'The page', mediaType: 'text/html' } },
    errors: ['GONE'],
  }),
] as const;
