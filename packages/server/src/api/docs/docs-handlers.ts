import { readFile } from 'node:fs/promises';
import { ApiError, invalidField, shorten } from '../../contract/api-error.js';
import type { HandlersOf } from '../../http/handlers.js';
import { encodeFile, toStaticFile } from '../../http/static-file.js';
import { loadingCache } from '../../loading-cache.js';
import { html, pageHeadersWith, renderDocument } from '../../pages/page.js';
import type { docsRoutes } from './docs-contract.js';
import { type OpenApi, selectTags } from './select-tags.js';

// The build copies the contract and the files of Swagger UI there.
const dist = new URL('../../../dist/', import.meta.url);
const openApiFile = new URL('openapi.yaml', dist);
const openApiJsonFile = new URL('openapi.json', dist);
const swaggerUi = new URL('swagger-ui/', dist);

const docsPage = renderDocument({
  lang: 'en',
  title: 'Shorty API',
  links: html`<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/docs.js" defer></script>`,
  body: html`<div id="docs"><noscript><p>This page needs JavaScript. The same description is in <a href="/openapi.yaml">openapi.yaml</a>.</p></noscript></div>`,
});

/** The page loads files from this server and sends requests to this server only. */
const docsPageHeaders = pageHeadersWith([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]);

const docsScript = `SwaggerUIBundle({
  url: '/openapi.yaml',
  dom_id: '#docs',
  // Do not send the document to an online validator.
  validatorUrl: null,
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
});
`;

const fileNames = ['swagger-ui.css', 'swagger-ui-bundle.js', 'docs.js'];

/** The files of the documentation page. Each is read and compressed at its first request. */
const files = loadingCache({ max: fileNames.length }, async (name) => {
  if (!fileNames.includes(name)) return undefined;
  const isOwn = name === 'docs.js';
  const plain = isOwn ? Buffer.from(docsScript) : await readFile(new URL(name, swaggerUi));
  return toStaticFile(plain, `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`);
});

/** Returns the OpenAPI document. Throws VALIDATION_FAILED for a tag that it does not have. */
async function readOpenApi(tags: readonly string[] | undefined): Promise<OpenApi> {
  const document: OpenApi = JSON.parse(await readFile(openApiJsonFile, 'utf8'));
  if (!tags) return document;
  const known = document.tags.map(({ name }) => name);
  const unknown = tags.find((tag) => !known.includes(tag));
  if (unknown === undefined) return selectTags(document, tags);
  const message = `has ${JSON.stringify(shorten(unknown))}: use ${known.join(', ')}`;
  throw invalidField('tags', message);
}

export const docsHandlers: HandlersOf<typeof docsRoutes> = {
  getOpenApi: async () => ({
    status: 200,
    text: await readFile(openApiFile, 'utf8'),
    mediaType: 'application/yaml',
  }),

  getOpenApiJson: async ({ query }) => ({ status: 200, body: await readOpenApi(query.tags) }),

  getDocs: async () => ({
    status: 200,
    text: docsPage,
    mediaType: 'text/html',
    headers: docsPageHeaders,
  }),

  async getDocsFile({ params: { file: name }, headers }) {
    const file = files.get(name) ?? (await files.load(name));
    if (!file) throw new ApiError('NOT_FOUND', 'There is no such file');
    return { status: 200, mediaType: file.mediaType, ...encodeFile(file, headers) };
  },
};
