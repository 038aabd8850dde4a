export { type Bar, describeBar, describeBucket, findPeak, toBars } from './bars.js';
export {
  type FetchedReport,
  fetchLinkReport,
  fetchOverviewReport,
  fetchScanReport,
  type ReportRequest,
} from './fetch-report.js';
export {
  escapeJson,
  formatCount,
  formatDuration,
  formatInstant,
  formatJson,
  formatNumber,
  formatUsd,
  printable,
} from './format.js';
export { html, type Markup } from './markup.js';
export { reportBody, reportHtml } from './report-html.js';
export * from './report-model.js';
export { reportRows } from './report-rows.js';
export { reportStyle } from './report-style.js';
export { reportText } from './report-text.js';
export { svgChart } from './svg-chart.js';
export { cutText, displayWidth, fitText } from './text-width.js';
export { timeChart } from './time-chart.js';
