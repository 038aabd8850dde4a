import { html, pageHeadersWith } from './page.js';

/** The frame; docs.js puts Swagger UI into it. */
export const docsPage = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shorty API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/docs.js" defer></script>
</head>
<body>
<header class="bar"><a class="home" href="/">Shorty</a><a href="/openapi.yaml">openapi.yaml</a></header>
<main id="docs"><noscript><p>This page needs JavaScript. The API is described in <a href="/openapi.yaml">openapi.yaml</a> as well.</p></noscript></main>
</body>
</html>
`.text;

/** It loads from this server, asks this server, and nobody else. */
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
