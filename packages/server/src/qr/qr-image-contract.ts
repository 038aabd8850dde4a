import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';

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
      'The image in the format of the code, without authentication. Each 200 response to GET counts in downloadCount; HEAD and 304 do not. With `Accept: text/html`, errors are pages.',
    access: 'public',
    isForVisitors: true,
    params,
    query: z.strictObject({
      download: z
        .literal('1')
        .optional()
        .describe('Makes browsers save the image instead of showing it.'),
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
