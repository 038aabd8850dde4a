/** The script of the documentation page: plain JavaScript, as browsers receive it. */
export const docsScript = `'use strict';
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// Without the parts that this API does not need, and with headings and landmarks in order.
const layout = ({ React: { createElement: h } }) => ({
  components: {
    DocsLayout({ getComponent, specSelectors }) {
      const part = (name) => h(getComponent(name, true));
      if (specSelectors.loadingStatus() !== 'success') return h('div', null, part('errors'));
      return h('div', { className: 'swagger-ui' },
        part('SvgAssets'),
        part('errors'),
        h('div', { className: 'wrapper' }, part('InfoContainer')),
        h('div', { className: 'wrapper operations-bar' },
          h('h2', null, 'Operations'),
          part('AuthorizeBtnContainer')),
        h('div', { className: 'wrapper' }, part('operations')),
        h('div', { className: 'wrapper' }, part('Webhooks')));
    },
    // A link inside the button that opens an operation would nest two controls.
    DeepLink: ({ text }) => h('span', null, text),
  },
});

// Adds names and roles for screen readers, which Swagger UI leaves out.
const repairs = [
  ['.close-modal', { 'aria-label': 'Close' }],
  ['.modal-ux', { role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Authorize' }],
  ['.auth-btn-wrapper [aria-label]', { 'aria-label': undefined }],
  ['textarea.body-param__text', { 'aria-label': 'Request body' }],
  ['.microlight', { role: 'group', 'aria-label': 'Text', tabindex: '0' }],
];
function repair() {
  for (const [selector, attributes] of repairs) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined) element.removeAttribute(name);
        else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
      }
    }
  }
}
new MutationObserver(repair).observe(document.getElementById('docs'), {
  childList: true,
  subtree: true,
});
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') document.querySelector('.close-modal')?.click();
});

SwaggerUIBundle({
  url: '/openapi.yaml',
  dom_id: '#docs',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [layout],
  layout: 'DocsLayout',
  // Do not send the document to an online validator.
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
});
`;
