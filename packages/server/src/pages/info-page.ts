import { Html, html, type Page, type RenderPage } from './page.js';
import type { Strings } from './strings/en.js';
import { webAddressOf } from './web-address.js';

/** What everybody may know about a link. */
export interface LinkInfo {
  readonly location: string;
  readonly title: string | null;
  readonly createdAt: number;
  /** Undefined where the clicks are not public. */
  readonly clicks: PublicClicks | undefined;
}

/** The clicks of a link: all, and those of the last 30 days by day and by country. */
export interface PublicClicks {
  readonly total: number;
  readonly days: readonly { readonly bucket: string; readonly clicks: number }[];
  readonly countries: readonly { readonly country: string; readonly clicks: number }[];
}

/** Renders the page that says where a link leads. */
export function infoPage(render: RenderPage, strings: Strings, info: LinkInfo): Page {
  const { location, title, createdAt, clicks } = info;
  const address = webAddressOf(location) ?? location;
  const date = new Date(createdAt);
  const day = new Intl.DateTimeFormat(strings.lang, { dateStyle: 'long', timeZone: 'UTC' });
  const shownTitle = title === null ? '' : html`<p>${title}</p>\n`;
  return render(
    strings.leadsTo,
    html`<h1>${strings.leadsTo}</h1>
<p class="payload"><a href="${address}" rel="noreferrer nofollow">${address}</a></p>
${shownTitle}<p><time datetime="${date.toISOString()}">${strings.createdOn(day.format(date))}</time></p>
${clicks === undefined ? '' : renderClicks(strings, clicks)}`,
  );
}

// The unit of a bar's width and the height of the highest bar, in the coordinates of the chart.
const barWidth = 10;
const chartHeight = 100;

function renderClicks(strings: Strings, { total, days, countries }: PublicClicks): Html {
  const number = new Intl.NumberFormat(strings.lang);
  const region = new Intl.DisplayNames(strings.lang, { type: 'region' });
  const highest = Math.max(1, ...days.map(({ clicks }) => clicks));
  const bars = days.map(({ bucket, clicks }, index) => {
    const height = Math.round((chartHeight * clicks) / highest);
    const label = `${bucket.slice(0, 10)}: ${number.format(clicks)}`;
    return html`<rect x="${String(index * barWidth)}" y="${String(chartHeight - height)}" width="${String(barWidth - 2)}" height="${String(height)}"><title>${label}</title></rect>`;
  });
  const rows = countries.map(({ country, clicks }) => {
    // ZZ is the code of an unknown region, which has a name in each language.
    const name = region.of(/^[A-Z]{2}$/.test(country) ? country : 'ZZ') ?? country;
    return html`<tr><th scope="row">${name}</th><td>${number.format(clicks)}</td></tr>`;
  });
  const join = (parts: readonly Html[]) => new Html(parts.map(({ text }) => text).join('\n'));
  const table = html`<table>
<caption>${strings.countries}</caption>
${join(rows)}
</table>`;
  return html`<h2>${strings.allClicks(number.format(total))}</h2>
<p>${strings.recentClicks}</p>
<svg class="bars" viewBox="0 0 ${String(days.length * barWidth)} ${String(chartHeight)}" preserveAspectRatio="none" role="img" aria-label="${strings.recentClicks}">
${join(bars)}
</svg>
${rows.length === 0 ? '' : table}`;
}
