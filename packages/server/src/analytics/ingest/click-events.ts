import { z } from 'zod';
import { instant } from '../../contract/fields.js';
import { defineEvent } from '../../events/define-event.js';
import { fieldSchemas } from '../reports/report-fields.js';

/** The maximum number of visits in one event. */
export const maxVisitsPerEvent = 500;

const { country, deviceType, browser, os, referrerDomain, referrerType } = fieldSchemas;
const visit = z
  .object({
    urlId: z.string().meta({ description: 'The id of the link.', example: '42' }),
    shortCode: z.string().meta({ example: 'aB3xY9q' }),
    customSlug: z.string().nullable().meta({ example: 'spring-sale' }),
    shortUrl: z.string().meta({ example: 'https://sho.example/spring-sale' }),
    visitedAt: instant.describe('The time of the visit.'),
    method: z
      .enum(['click', 'scan'])
      .describe('`scan`: the visitor scanned a QR code of the link.'),
    scanCertainty: z.enum(['proven', 'inferred']).optional().meta({
      description:
        '`proven`: only a QR code explains the scan. `inferred`: a tap on the link in a message looks the same. Absent from a click.',
      example: 'proven',
    }),
    country,
    deviceType,
    browser,
    os,
    referrerDomain,
    referrerType,
  })
  .meta({ id: 'ClickedVisit' });

export const urlClicked = defineEvent({
  type: 'url.clicked',
  data: z
    .object({
      visits: z
        .array(visit)
        .min(1)
        .max(maxVisitsPerEvent)
        .describe(`1 to ${maxVisitsPerEvent} visits of people, oldest first.`),
    })
    .meta({ id: 'UrlClickedEventData' }),
  summary:
    'People followed links: visits that were stored together. For webhooks that name this type',
});
