/** What runs on the page about the API: plain JavaScript, as browsers get it. */
export const docsScript = `'use strict';
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: '/openapi.yaml',
  dom_id: '#docs',
  presets: [SwaggerUIBundle.presets.apis],
  // Nobody else is asked whether the description is valid.
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
});
`;
