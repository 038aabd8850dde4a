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
          description: 'The app that read the QR code, or "(none)" when it is unknown.',
          example: 'iOS Camera',
        }),
        scans,
      }),
    ),
  })
  .meta({ id: 'ScanBreakdowns' });

export const scanBucket = z
  .object({
    bucket: instant.meta({ description: 'The start of the bucket.' }),
    scans,
    uniques: scans.meta({ description: 'Distinct visitors in this bucket.' }),
  })
  .meta({ id: 'ScanBucket' });

const qrScans = z
  .object({
    qrCodeId: z.string().meta({ format: 'uuid' }),
    urlId: z.string().nullable().meta({
      description: 'Null for a standalone QR code, whose scans are unknown.',
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
      'Visits of people who scanned the QR code, from its creation to its deletion. A deleted QR code still has a report. All QR codes of one URL contain the same text, so each of them reports the scans of all. Downloads and previews are not scans.',
    access: { scope: 'qr:read' },
    params: z.strictObject({ id: uuidParam }),
    query: clicksQuery,
    responses: { 200: { description: 'The scans in the window', data: qrScans } },
    errors: ['NOT_FOUND'],
  }),
] as const;
