import { z } from 'zod';
import { defineEvent } from '../events/define-event.js';
import { domainRecord } from './domain-contract.js';

export const domainVerified = defineEvent({
  type: 'domain.verified',
  // Not strict, because receivers must accept fields that newer servers add.
  data: z.object(domainRecord.shape).meta({ id: 'DomainEventData' }),
  summary: 'A custom domain was verified for the first time',
});
