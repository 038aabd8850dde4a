import { defineThread } from '../../threads/define-thread.js';

export const openApiMethods = {
  async render(): Promise<string> {
    // Its libraries would delay each start by a tenth.
    const { renderOpenApi } = await import('../openapi.js');
    return renderOpenApi();
  },
};

/** The thread that renders openapi.yaml, because this takes hundreds of milliseconds. */
export const openApiThread = defineThread({
  name: 'openapi',
  file: import.meta.url,
  start: () => ({ methods: openApiMethods }),
});
