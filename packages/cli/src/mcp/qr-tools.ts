import type { QrCreateRequest } from '@shorty/sdk';
import { z } from 'zod';
import { UsageError } from '../cli-error.js';
import { findLinkId } from '../find-link.js';
import { dataOf } from '../response-data.js';
import { link } from './link-tools.js';
import { pageOf } from './output-schema.js';
import { defineTool, type Tool } from './tool.js';

const color = (description: string) =>
  z.string().describe(`${description}, such as #1A2B3C`).exactOptional();

export const qrTools: readonly Tool[] = [
  defineTool({
    name: 'find_qr_codes',
    title: 'Find QR codes',
    description:
      'Lists the QR codes of one link, or all QR codes, newest first. Returns the design, scanCount and downloadCount of each. Their image is at downloadUrl, without a token.',
    access: 'read',
    scopes: ['qr:read'],
    input: z.strictObject({
      link: link
        .describe('only the QR codes of this link: id, short URL, slug or code')
        .exactOptional(),
      limit: z.int().min(1).max(100).describe('QR codes on a page').default(20),
      after: z.string().describe('nextAfter of the page before').exactOptional(),
    }),
    output: pageOf('qrCodes', dataOf('getQr')),
    run: async ({ link: name, ...page }, { client, signal }) => {
      const filter =
        name === undefined ? {} : { urlId: await findLinkId(client, name, { signal }) };
      const { total, items, nextAfter } = await client.qr.list({ ...filter, ...page }, { signal });
      return { data: { total, qrCodes: items, nextAfter } };
    },
  }),
  defineTool({
    name: 'get_qr_code',
    title: 'Get a QR code with its image',
    description:
      'Returns a QR code and its image. The image counts as a download. SVG images are returned as text.',
    access: 'read',
    scopes: ['qr:read'],
    input: z.strictObject({ id: z.string().describe('id of the QR code (a UUID)') }),
    output: dataOf('getQr'),
    run: async ({ id }, { client, signal }) => ({
      data: await client.qr.get(id, { signal }),
      image: await client.qr.download(id, { signal }),
    }),
  }),
  defineTool({
    name: 'create_qr_code',
    title: 'Create a QR code',
    description:
      'Creates a QR code for a short link, or for any text, and returns it with its image. A code for a link counts its scans, and the target of the link can change later. Exactly one of link and data is required.',
    access: 'add',
    scopes: ['qr:write'],
    input: z.strictObject({
      link: link.exactOptional(),
      data: z.string().describe('the text of the code, instead of a link').exactOptional(),
      format: z
        .enum(['png', 'svg', 'webp'])
        .describe('the image format (default: png)')
        .exactOptional(),
      size: z
        .int()
        .min(200)
        .max(2048)
        .describe('width and height in pixels (default: 512)')
        .exactOptional(),
      foregroundColor: color('the color of the dark modules'),
      backgroundColor: color('the color of the light modules'),
      background: z
        .enum(['solid', 'transparent'])
        .describe('transparent: no background; put the image on backgroundColor')
        .exactOptional(),
      margin: z
        .int()
        .min(0)
        .max(16)
        .describe('the width of the quiet zone in modules (default: 4)')
        .exactOptional(),
      stylePreset: z
        .enum(['default', 'rounded', 'dots', 'classy'])
        .describe('the shape of the modules')
        .exactOptional(),
      errorCorrectionLevel: z
        .enum(['L', 'M', 'Q', 'H'])
        .describe('how much damage the code survives; H with a logo (default: M)')
        .exactOptional(),
      logoUrl: z.string().describe('URL of a logo for the middle').exactOptional(),
    } satisfies Record<Exclude<keyof QrCreateRequest, 'urlId'> | 'link', z.ZodType>),
    output: dataOf('createQr'),
    run: async ({ link: name, data, ...design }, { client, signal }) => {
      if ((name === undefined) === (data === undefined)) {
        throw new UsageError('exactly one of link and data is required');
      }
      const body: QrCreateRequest =
        name === undefined
          ? { ...design, data: data ?? '' }
          : { ...design, urlId: await findLinkId(client, name, { signal }) };
      const code = await client.qr.create(body, { signal });
      return { data: code, image: await client.qr.download(code.id, { signal }) };
    },
  }),
];
