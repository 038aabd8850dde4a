import { z } from 'zod';
import { defineEvent } from './define-event.js';

const data = z
  .object({
    id: z.string().meta({ description: 'The id of the URL or the QR code.', example: '42' }),
    shortCode: z.string().meta({ example: 'aB3xY9q' }),
    threshold: z
      .int()
      .min(1)
      .meta({ description: 'The threshold that was reached.', example: 100 }),
    count: z.int().min(0).meta({ description: 'The count when it was reached.', example: 103 }),
  })
  .meta({ id: 'ThresholdEventData' });

export const urlClickThreshold = defineEvent({
  type: 'url.click_threshold',
  data,
  summary: "A link's clicks reached a threshold",
});

export const qrScanThreshold = defineEvent({
  type: 'qr.scan_threshold',
  data,
  summary: "A QR code's scans reached a threshold",
});
