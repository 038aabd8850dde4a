import { z } from 'zod';
import { defineEvent } from '../events/define-event.js';
import { domainRecord } from './domain-contract.js';

export const domainVerified = defineEvent({
  type: 'domain.verified',
  // Not strict: receivers must accept fields that a newer server adds.
  data: z.object(domainRecord.shape).meta({ id: 'DomainEventData' }),
  summary: 'A custom domain was verified for the first time',
});
