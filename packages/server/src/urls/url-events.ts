import { z } from 'zod';
import { defineEvent } from '../events/define-event.js';
import { urlRecord } from './url-contract.js';

// Not strict, because receivers must accept fields that newer servers add.
const data = z.object(urlRecord.shape).meta({ id: 'UrlEventData' });

export const urlCreated = defineEvent({
  type: 'url.created',
  data,
  summary: 'A link was created, alone or in bulk',
});

export const urlUpdated = defineEvent({
  type: 'url.updated',
  data,
  summary: 'A link was changed, paused, resumed or deleted',
});

export const urlExpired = defineEvent({
  type: 'url.expired',
  data,
  summary: 'A link expired',
});
