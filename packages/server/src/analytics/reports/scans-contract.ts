import { z } from 'zod';
import { defineRoute } from '../../contract/define-route.js';
import { uuidParam } from '../../contract/fields.js';
import { browser, clicksQuery, country, deviceType, instant } from './clicks-contract.js';

export const scanMethods = ['camera', 'file_upload', 'manual_entry', 'app_scanner'] as const;

const scans = z.int().min(0);

export const scanTotals = z.object({
  totalScans: scans,
  uniqueScans: scans.meta({ description: 'Distinct visitors in the whole window.' }),
  uniqueIps: scans.meta({ description: 'Distinct addresses in the whole window.' }),
});

export const scanBreakdowns = z
  .object({
    country: z.array(z.object({ country, scans })),
    device: z.array(z.object({ deviceType, scans })),
    browser: z.array(z.object({ browser, scans })),
    scanMethod: z.array(z.object({ scanMethod: z.enum(scanMethods), scans })),
    scannerApp: z.array(
      z.object({
        scannerApp: z.string().meta({
          description: 'The app that read the code, or "(none)" where none did.',
          example: 'iOS Camera',
        }),
        scans,
      }),
    ),
  })
  .meta({ id: 'ScanBreakdowns' });

export const scanBucket = z
  .object({
    bucket: instant.meta({ description: 'When the bucket begins.' }),
    scans,
    uniques: scans.meta({ description: 'Distinct visitors in this bucket.' }),
  })
  .meta({ id: 'ScanBucket' });

const qrScans = z
  .object({
    qrCodeId: z.string().meta({ format: 'uuid' }),
    urlId: z.string().nullable().meta({
      description: 'Null for a standalone code, whose scans nobody can see.',
      example: '42',
    }),
    since: instant,
    until: instant,
    totals: scanTotals,
    breakdowns: scanBreakdowns,
    timeseries: z.array(scanBucket),
  })
  .meta({ id: 'QrScans' });

export const scanRoutes = [
  defineRoute({
    operationId: 'getQrScans',
    method: 'get',
    path: '/api/v1/qr/{id}/scans',
    tag: 'Analytics',
    summary: 'Read the scans of a QR code',
    description:
      'Visits of people that a QR code brought, from its creation to its deletion; a deleted code still reports. Codes of one URL carry the same text, so that each of them reports a scan of either. Pictures and previews are no scans.',
    access: { scope: 'qr:read' },
    params: z.strictObject({ id: uuidParam }),
    query: clicksQuery,
    responses: { 200: { description: 'The scans in the window', data: qrScans } },
    errors: ['NOT_FOUND'],
  }),
] as const;
