import { defineThread } from '../../threads/define-thread.js';
import { renderOpenApi } from '../openapi.js';

export const openApiMethods = { render: renderOpenApi };

/** The thread that renders openapi.yaml, because this takes hundreds of milliseconds. */
export const openApiThread = defineThread({
  name: 'openapi',
  file: import.meta.url,
  start: () => ({ methods: openApiMethods }),
});
