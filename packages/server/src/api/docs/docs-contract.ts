import { z } from 'zod';
import { defineRoute } from '../../contract/define-route.js';

const tag = 'Operations';

export const docsRoutes = [
  defineRoute({
    operationId: 'getOpenApi',
    method: 'get',
    path: '/openapi.yaml',
    tag,
    summary: 'Read this description of the API',
    access: 'public',
    responses: { 200: { description: 'OpenAPI 3.1', mediaType: 'application/yaml' } },
  }),
  defineRoute({
    operationId: 'getDocs',
    method: 'get',
    path: '/docs',
    tag,
    summary: 'Read about the API, and try it',
    description: 'A page for people. It works offline: all that it loads comes from this server.',
    access: 'public',
    responses: { 200: { description: 'The page', mediaType: 'text/html' } },
  }),
  defineRoute({
    operationId: 'getDocsFile',
    method: 'get',
    path: '/docs/{file}',
    tag,
    summary: 'Load a part of the page about the API',
    access: 'public',
    params: z.strictObject({ file: z.string().meta({ example: 'swagger-ui.css' }) }),
    responses: {
      200: { description: 'The file', mediaType: ['text/css', 'text/javascript'] },
      304: {
        description: 'The file is the one that If-None-Match names',
        headers: { ETag: 'Names the file; another version has another name.' },
      },
    },
    errors: ['NOT_FOUND'],
  }),
] as const;
