import { describeBucket, findPeak, toBars } from './bars.js';
import { formatInstant, formatNumber } from './format.js';
import { html, type Markup } from './markup.js';
import {
  describeWindow,
  formatChange,
  formatShare,
  labelOf,
  nothingCounted,
  type Report,
  type Section,
  type SectionRow,
} from './report-model.js';
import { reportStyle } from './report-style.js';
import { svgChart } from './svg-chart.js';

// A year of days. More bars would be narrower than a pixel on a wide screen.
const maxBars = 400;

const policy = "default-src 'none'; style-src 'unsafe-inline'";

type NameOf = (row: SectionRow, section: Section) => Markup;

/** Renders a report as one self-contained HTML page. `now` is printed as its creation time. */
export function reportHtml(report: Report, now: number): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${report.title}</title>
<style>${reportStyle}</style>
</head>
<body>
<main>
<h1>${report.title}</h1>
${reportBody(report)}
<footer>Clicks by people; bots and link previews are not counted. Created ${time(now)} by shorty.</footer>
</main>
</body>
</html>
`;
  return page.toString();
}

/** Renders what a report has below its title. `nameOf` renders the name of a row. */
export function reportBody(report: Report, nameOf: NameOf = ({ label }) => html`${label}`): Markup {
  const { since, until, groupBy, before, notes, totals, sections } = report;
  // Without clicks, the chart already says so.
  const isEmpty = sections.every(({ rows }) => rows.length === 0);
  return html`<header>
<p>${time(since)} to ${time(until)}, by ${groupBy}</p>
${before ? html`<p>change from ${time(before.since)} to ${time(before.until)} in parentheses</p>\n` : undefined}${notes?.map((note) => html`<p>${note}</p>\n`)}</header>
<ul class="totals">
${totals.map((total) => {
  const change = formatChange(total);
  const note = change === '' ? undefined : html` <small>(${change})</small>`;
  return html`<li><b>${formatNumber(total.count)}</b> ${labelOf(total)}${note}</li>\n`;
})}</ul>
${seriesFigure(report)}
${
  isEmpty
    ? undefined
    : html`<div class="sections">
${sections.map((section) => sectionTable(section, report, nameOf))}</div>`
}`;
}

function seriesFigure(report: Report): Markup {
  const { series, groupBy } = report;
  const bars = toBars(series, groupBy, maxBars);
  const peak = findPeak(bars);
  if (!peak) return html`<p class="none">${nothingCounted(report)}</p>`;
  const isWhole = bars.every(({ buckets }) => buckets === 1);
  return html`<figure class="${isWhole ? 'whole' : 'merged'}" aria-label="${describeWindow(report)}">
<figcaption><span class="key clicks">clicks</span> ${isWhole ? html`<span class="key uniques">unique visitors</span>` : undefined}</figcaption>
${svgChart(bars, groupBy)}
<details>
<summary>The numbers</summary>
<table>
<thead><tr><th scope="col">${groupBy}</th><th scope="col">clicks</th><th scope="col">unique visitors</th></tr></thead>
<tbody>
${series.map(
  ({ bucket, clicks, uniques, isPartial }) =>
    html`<tr><th scope="row">${describeBucket(bucket, groupBy)}${isPartial ? ' (partial)' : undefined}</th><td>${formatNumber(clicks)}</td><td>${formatNumber(uniques)}</td></tr>\n`,
)}</tbody>
</table>
</details>
</figure>`;
}

function sectionTable(section: Section, report: Report, nameOf: NameOf): Markup {
  const { name, title, rows } = section;
  const max = Math.max(0, ...rows.map(({ clicks }) => clicks));
  if (rows.length === 0) {
    return html`<section><h2>${title}</h2><p class="none">${nothingCounted(report)}</p></section>\n`;
  }
  return html`<section class="${name}"><h2>${title}</h2>
<table>
<thead><tr><th scope="col">name</th><th scope="col">clicks</th><th scope="col">share</th></tr></thead>
<tbody>
${rows.map((row) => {
  const { detail, title: linkTitle, clicks } = row;
  const bar = max === 0 ? 0 : (clicks / max) * 100;
  const note = name === 'referrer' ? detail : linkTitle;
  const kind = note ? html` <small>${note}</small>` : undefined;
  return html`<tr><th scope="row">${nameOf(row, section)}${kind}<svg class="bar" width="${bar.toFixed(2)}%" height="6" aria-hidden="true"></svg></th><td>${formatNumber(clicks)}</td><td>${formatShare(clicks, report.totalClicks)}</td></tr>\n`;
})}</tbody>
</table>
</section>
`;
}

function time(instant: number | string): Markup {
  const datetime = typeof instant === 'string' ? instant : new Date(instant).toISOString();
  return html`<time datetime="${datetime}">${formatInstant(instant)}</time>`;
}
