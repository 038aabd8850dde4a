import { html, pageHeadersWith, renderDocument } from './page.js';

export const docsPage = renderDocument({
  lang: 'en',
  title: 'Shorty API',
  links: html`<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/docs.js" defer></script>`,
  body: html`<main id="docs"><noscript><p>This page needs JavaScript. The same description is in <a href="/openapi.yaml">openapi.yaml</a>.</p></noscript></main>`,
});

/** The page loads files from this server and sends requests to this server only. */
export const docsPageHeaders = pageHeadersWith([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]);
