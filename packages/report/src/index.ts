export * from './fetch-report.js';
export * from './format.js';
export { html, type Markup } from './markup.js';
export { reportBody, reportHtml } from './report-html.js';
export * from './report-model.js';
export { reportRows } from './report-rows.js';
export { reportStyle } from './report-style.js';
export { reportText } from './report-text.js';
export { cutText, displayWidth, fitText } from './text-width.js';
