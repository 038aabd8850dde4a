import type { Logger } from 'pino';
import { ApiError } from '../../contract/api-error.js';
import type { HandlersOf } from '../../http/handlers.js';
import { docsPage, docsPageHeaders } from '../../pages/docs-page.js';
import { openThread } from '../../threads/open-thread.js';
import type { docsRoutes } from './docs-contract.js';
import { findDocsFile } from './docs-files.js';
import { openApiMethods, openApiThread } from './openapi-thread.js';

const renderTimeLimitMs = 20_000;

/** Creates the handlers of the API's documentation. The first request renders openapi.yaml. */
export function createDocsModule(options: {
  readonly isThreaded: boolean;
  readonly logger: Logger;
}) {
  const thread = openThread(openApiThread, {
    ...options,
    data: undefined,
    inline: () => ({ methods: openApiMethods }),
    timeLimitMs: renderTimeLimitMs,
  });
  let openApi: Promise<string> | undefined;
  const handlers: HandlersOf<typeof docsRoutes> = {
    async getOpenApi() {
      openApi ??= thread.call('render').catch((error) => {
        // The next request renders again.
        openApi = undefined;
        throw error;
      });
      return { status: 200, text: await openApi, mediaType: 'application/yaml' };
    },

    getDocs: async () => ({
      status: 200,
      text: docsPage,
      mediaType: 'text/html',
      headers: docsPageHeaders,
    }),

    async getDocsFile({ params, headers }) {
      const file = await findDocsFile(params.file);
      if (!file) throw new ApiError('NOT_FOUND', 'There is no such file');
      const isGzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
      return {
        status: 200,
        bytes: isGzip ? file.gzipped : file.plain,
        mediaType: file.mediaType,
        headers: {
          ETag: file.etag,
          // Revalidated at each load, mostly with 304: a new version of the server is loaded at once.
          'Cache-Control': 'public, no-cache',
          Vary: 'Accept-Encoding',
          ...(isGzip && { 'Content-Encoding': 'gzip' }),
        },
      };
    },
  };
  return { handlers, thread };
}
