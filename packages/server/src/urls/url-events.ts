import { z } from 'zod';
import { defineEvent } from '../events/define-event.js';
import { urlRecord } from './url-contract.js';

// Not strict: receivers must accept fields that a newer server adds.
const data = z.object(urlRecord.shape).meta({ id: 'UrlEventData' });

export const urlCreated = defineEvent({
  type: 'url.created',
  data,
  summary: 'A link was created, by itself or in bulk',
});

export const urlUpdated = defineEvent({
  type: 'url.updated',
  data,
  summary: 'A link was changed, paused, resumed or deleted',
});

export const urlExpired = defineEvent({
  type: 'url.expired',
  data,
  summary: "A link's time has come",
});
