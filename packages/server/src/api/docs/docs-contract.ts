import { z } from 'zod';
import { defineRoute } from '../../contract/define-route.js';

const tag = 'Operations';

export const docsRoutes = [
  defineRoute('getOpenApi', 'GET /openapi.yaml', {
    tag,
    summary: 'Read the OpenAPI document',
    access: 'public',
    // Refuses `tags`, which only the JSON document takes.
    query: z.strictObject({}),
    responses: { 200: { description: 'OpenAPI 3.1', mediaType: 'application/yaml' } },
  }),
  defineRoute('getOpenApiJson', 'GET /openapi.json', {
    tag,
    summary: 'Read the OpenAPI document as JSON, or a part of it',
    access: 'public',
    query: z.strictObject({
      tags: z
        .string()
        .transform((tags) => tags.split(','))
        .optional()
        .meta({
          override: { type: 'string' },
          description:
            'Tags, separated by commas: the document then has only their operations, and what these refer to.',
          example: 'URLs,QR codes,Webhooks',
        }),
    }),
    responses: {
      200: { description: 'OpenAPI 3.1', body: z.looseObject({ openapi: z.literal('3.1.0') }) },
    },
  }),
  defineRoute('getDocs', 'GET /docs', {
    tag,
    summary: 'Open the interactive documentation',
    description: 'An HTML page. It works offline: it loads everything from this server.',
    access: 'public',
    responses: { 200: { description: 'The page', mediaType: 'text/html' } },
  }),
  defineRoute('getDocsFile', 'GET /docs/{file}', {
    tag,
    summary: 'Load a file of the documentation page',
    access: 'public',
    params: z.strictObject({ file: z.string().meta({ example: 'swagger-ui.css' }) }),
    responses: {
      200: { description: 'The file', mediaType: ['text/css', 'text/javascript'] },
      304: {
        description: 'The file matches If-None-Match',
        headers: { ETag: 'Identifies the version of the file.' },
      },
    },
  }),
] as const;
