import { readFile } from 'node:fs/promises';
import { ApiError } from '../../contract/api-error.js';
import type { HandlersOf } from '../../http/handlers.js';
import { docsPage, docsPageHeaders } from '../../pages/docs-page.js';
import type { docsRoutes } from './docs-contract.js';
import { findDocsFile } from './docs-files.js';

// The build copies it there.
const openApiFile = new URL('../../../dist/openapi.yaml', import.meta.url);

/** The handlers of the API's documentation. */
export const docsHandlers: HandlersOf<typeof docsRoutes> = {
  getOpenApi: async () => ({
    status: 200,
    text: await readFile(openApiFile, 'utf8'),
    mediaType: 'application/yaml',
  }),

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
        // Browsers revalidate at each load, so they load the files of a new server version at once.
        'Cache-Control': 'public, no-cache',
        Vary: 'Accept-Encoding',
        ...(isGzip && { 'Content-Encoding': 'gzip' }),
      },
    };
  },
};
