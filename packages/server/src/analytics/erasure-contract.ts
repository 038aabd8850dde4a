import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import { instant, urlIdParam } from '../contract/fields.js';

const visitErasure = z
  .object({
    urlId: z.string().meta({ example: '42' }),
    erasedUntil: instant.meta({
      description: 'Visits of this millisecond and before are erased, wherever they were stored.',
    }),
  })
  .meta({ id: 'VisitErasure' });

export const erasureRoutes = [
  defineRoute('eraseUrlVisits', 'DELETE /api/v1/urls/{id}/visits', {
    tag: 'Analytics',
    access: { scope: 'keys:write' },
    summary: 'Erase the visits of a URL',
    description:
      'Deletes all visits until now. Nothing can restore them. clickCount and scanCount then count later visits only. The link, its QR codes and the usage of the organization do not change. Visits whose journal is not read yet are erased, too. Not erased: backups, and events that were recorded for webhooks. The response is sent after the last visit is deleted. A 503 means that it takes longer and continues: the same request with the same Idempotency-Key waits for it. If stored visits cannot be read, it names their row, which the operator must repair or delete. Needs the scope keys:write.',
    params: z.object({ id: urlIdParam }),
    responses: { 200: { description: 'The erasure', data: visitErasure } },
  }),
] as const;
