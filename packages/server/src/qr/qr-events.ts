import { z } from 'zod';
import { defineEvent } from '../events/define-event.js';
import { qrRecord } from './qr-contract.js';

// Not strict: receivers must accept the additional fields of a newer server.
const data = z.object(qrRecord.shape).meta({ id: 'QrEventData' });

export const qrCreated = defineEvent({
  type: 'qr.created',
  data,
  summary: 'A QR code was created',
});

export const qrDeleted = defineEvent({
  type: 'qr.deleted',
  data,
  summary: 'A QR code was deleted',
});
