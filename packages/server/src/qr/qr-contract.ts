import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import {
  pageOf,
  paging,
  prose,
  queryBoolean,
  urlIdInput,
  urlIdParam,
  uuidParam,
} from '../contract/fields.js';
import { findTargetUrlFault } from '../urls/target-url.js';

/** 2 KB, in bytes as a code carries them. Specification, "Limits". */
const maxDataBytes = 2048;

const minSize = 200;
const maxSize = 2048;

export const formats = ['png', 'svg', 'webp'] as const;
export const errorCorrections = ['L', 'M', 'Q', 'H'] as const;
export const stylePresets = ['default', 'rounded', 'dots', 'classy'] as const;

const data = prose(maxDataBytes)
  .min(1, 'must not be empty')
  .refine(
    (text) => text.length > maxDataBytes || Buffer.byteLength(text) <= maxDataBytes,
    `must be at most ${maxDataBytes} bytes long in UTF-8`,
  )
  .meta({
    description: `The text of a standalone code, at most ${maxDataBytes} bytes in UTF-8 and no more than fits errorCorrectionLevel. Not together with urlId.`,
    example: 'WIFI:T:WPA;S:Guests;P:open sesame;;',
  });

const sizeRule = `must be a whole number from ${minSize} to ${maxSize}`;
const size = z.int({ error: sizeRule }).min(minSize, sizeRule).max(maxSize, sizeRule).meta({
  description: 'Width and height of the picture in pixels, quiet zone included.',
  example: 512,
});

const format = z.enum(formats);
const color = z
  .string()
  .regex(/^#[0-9A-Fa-f]{6}$/, 'must be # and six hexadecimal digits, such as #1A2B3C')
  .meta({ example: '#000000' });

const errorCorrectionLevel = z.enum(errorCorrections).meta({
  description: 'How much of the code may be damaged: 7, 15, 25 or 30 %. Take Q or H with a logo.',
});

const maxLogoUrlBytes = 2048;
const logoUrl = z
  .string()
  .check((context) => {
    const fault =
      findTargetUrlFault(context.value) ??
      (Buffer.byteLength(context.value) > maxLogoUrlBytes
        ? `must be at most ${maxLogoUrlBytes} bytes long`
        : undefined);
    if (fault) context.issues.push({ code: 'custom', message: fault, input: context.value });
  })
  .meta({
    description:
      'An image for the middle of the code: a PNG, JPEG or WebP of at most 1 MB, or an SVG of at most 64 KB made of shapes, paths and gradients, without text, style sheets, filters or images. It is fetched once, now; null means no logo.',
    format: 'uri',
    maxLength: maxLogoUrlBytes,
    example: 'https://example.com/logo.png',
  });

export const qrCreateRequest = z
  .strictObject({
    urlId: urlIdInput.nullish().meta({
      description: 'The URL that the code leads to. Not together with data.',
    }),
    data: data.nullish(),
    size: size.default(512),
    format: format.default('png'),
    foregroundColor: color.default('#000000'),
    backgroundColor: color.default('#FFFFFF').meta({ example: '#FFFFFF' }),
    logoUrl: logoUrl.nullish(),
    errorCorrectionLevel: errorCorrectionLevel.default('M'),
    stylePreset: z.enum(stylePresets).default('default'),
  })
  .superRefine((body, context) => {
    if (body.urlId == null && body.data == null) {
      context.addIssue({
        code: 'custom',
        path: ['urlId'],
        message: 'or data is required: a code leads to a URL, or carries a text of its own',
      });
    }
    if (body.urlId != null && body.data != null) {
      context.addIssue({ code: 'custom', path: ['data'], message: 'must not come beside urlId' });
    }
  })
  .meta({ id: 'QrCreateRequest' });

export const qrUpdateRequest = z
  .strictObject({
    size: size.optional(),
    format: format.optional(),
    foregroundColor: color.optional(),
    backgroundColor: color.optional(),
    logoUrl: logoUrl.nullish(),
    errorCorrectionLevel: errorCorrectionLevel.optional(),
  })
  .meta({
    id: 'QrUpdateRequest',
    description:
      'The fields to change. What a code carries never changes: to retarget one, create another and delete it.',
  });

const instant = z.string().meta({ format: 'date-time', example: '2030-01-01T00:00:00.000Z' });

export const qrRecord = z
  .object({
    id: z.string().meta({ format: 'uuid' }),
    urlId: z.string().nullable().meta({
      description: 'Null for a standalone code.',
      example: '42',
    }),
    organizationId: z.string().meta({ format: 'uuid' }),
    qrData: z.string().meta({
      description: 'What the code carries; it never changes.',
      example: 'https://sho.example/aB3xY9q',
    }),
    format,
    size: z.int().min(minSize).max(maxSize),
    errorCorrection: z.enum(errorCorrections),
    foregroundColor: z.string().meta({ example: '#000000' }),
    backgroundColor: z.string().meta({ example: '#FFFFFF' }),
    logoUrl: z.string().nullable(),
    stylePreset: z.enum(stylePresets),
    downloadCount: z.int().min(0).meta({ description: 'Pictures that were answered so far.' }),
    scanCount: z.int().min(0).meta({ description: 'Scans counted so far.' }),
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

const tag = 'QR codes';
const params = z.strictObject({ id: uuidParam });
const promise =
  'Before a code is stored, its picture is drawn and decoded: one that does not scan is refused, with the reason and what would work.';

export const qrRoutes = [
  defineRoute({
    operationId: 'createQr',
    method: 'post',
    path: '/api/v1/qr',
    tag,
    summary: 'Create a QR code',
    description: promise,
    access: { scope: 'qr:write' },
    body: qrCreateRequest,
    idempotent: true,
    responses: { 201: { description: 'The new code', data: qrRecord } },
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  }),
  defineRoute({
    operationId: 'listQrs',
    method: 'get',
    path: '/api/v1/qr',
    tag,
    summary: 'List QR codes, newest first',
    access: { scope: 'qr:read' },
    query: z.strictObject({
      ...paging,
      urlId: urlIdParam.optional().meta({ description: 'Only codes of this URL.' }),
      standalone: queryBoolean.optional().meta({
        description: 'true: only codes without a URL; false: only codes with one.',
      }),
    }),
    responses: { 200: { description: 'One page of codes', data: pageOf(qrRecord) } },
  }),
  defineRoute({
    operationId: 'listUrlQrs',
    method: 'get',
    path: '/api/v1/urls/{id}/qr',
    tag,
    summary: 'List the QR codes of a URL, newest first',
    access: { scope: 'qr:read' },
    params: z.strictObject({ id: urlIdParam }),
    query: z.strictObject(paging),
    responses: { 200: { description: 'One page of codes', data: pageOf(qrRecord) } },
    errors: ['NOT_FOUND'],
  }),
  defineRoute({
    operationId: 'getQr',
    method: 'get',
    path: '/api/v1/qr/{id}',
    tag,
    summary: 'Read a QR code',
    access: { scope: 'qr:read' },
    params,
    responses: { 200: { description: 'The code', data: qrRecord } },
    errors: ['NOT_FOUND'],
  }),
  defineRoute({
    operationId: 'updateQr',
    method: 'patch',
    path: '/api/v1/qr/{id}',
    tag,
    summary: 'Change how a QR code looks',
    description: `${promise} Not charged.`,
    access: { scope: 'qr:write' },
    params,
    body: qrUpdateRequest,
    responses: { 200: { description: 'The changed code', data: qrRecord } },
    errors: ['NOT_FOUND'],
  }),
  defineRoute({
    operationId: 'deleteQr',
    method: 'delete',
    path: '/api/v1/qr/{id}',
    tag,
    summary: 'Delete a QR code',
    description:
      'Its picture and preview answer 410 from now on, and its scans end. What is printed still leads to its URL. Not charged.',
    access: { scope: 'qr:write' },
    params,
    responses: { 200: { description: 'The code as it was', data: qrRecord } },
    errors: ['NOT_FOUND'],
  }),
] as const;

export type QrCreateRequest = z.output<typeof qrCreateRequest>;
export type QrUpdateRequest = z.output<typeof qrUpdateRequest>;
