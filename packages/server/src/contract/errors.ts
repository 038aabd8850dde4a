import { z } from 'zod';
import { errorCodes } from './error-codes.js';

export const errorDetail = z
  .object({
    path: z.string().meta({
      description: 'JSON path of the field; empty for the body as a whole.',
      example: 'urls[3].targetUrl',
    }),
    message: z.string().meta({ example: 'must start with http:// or https://' }),
  })
  .meta({ id: 'ErrorDetail' });

export const errorResponse = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.enum(errorCodes).meta({ id: 'ErrorCode' }),
      message: z.string().meta({ example: 'targetUrl must start with http:// or https://' }),
      details: z.array(errorDetail).optional(),
      requestId: z.string().describe('The same value as the X-Request-Id header.'),
    }),
  })
  .meta({ id: 'ErrorResponse', description: 'The response of a failed request.' });

export type ErrorDetail = z.infer<typeof errorDetail>;
export type ErrorResponse = z.infer<typeof errorResponse>;
