import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';

const tag = 'Pictures';

const params = z.strictObject({ id: z.string().meta({ format: 'uuid', param: { id: 'QrId' } }) });

export const qrPictureRoutes = [
  defineRoute({
    operationId: 'downloadQr',
    method: 'get',
    path: '/api/qr/{id}/download',
    tag,
    summary: 'Get the picture of a QR code',
    description:
      'The bytes of the picture in the format of the code, for anybody. Each one that is answered counts in downloadCount; HEAD and 304 do not. `Accept: text/html` makes errors pages.',
    access: 'public',
    isForVisitors: true,
    params,
    query: z.strictObject({
      download: z.literal('1').optional().meta({
        description: 'Makes browsers save the picture instead of showing it.',
      }),
    }),
    responses: {
      200: {
        description: 'The picture',
        mediaType: ['image/png', 'image/svg+xml', 'image/webp'],
      },
      304: {
        description: 'The picture is the one that If-None-Match names',
        headers: { ETag: 'Names the picture; another one has another name.' },
      },
    },
    errors: ['NOT_FOUND', 'GONE'],
  }),
  defineRoute({
    operationId: 'previewQr',
    method: 'get',
    path: '/qr/{id}',
    tag,
    summary: 'Show a QR code on a page',
    description:
      'The code, what it carries, and ways to download it. Errors are pages, or JSON for `Accept: application/json`.',
    access: 'public',
    isForVisitors: true,
    params,
    responses: { 200: { description: 'The page', mediaType: 'text/html' } },
    errors: ['NOT_FOUND', 'GONE'],
  }),
] as const;
