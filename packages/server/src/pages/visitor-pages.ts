import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from '../contract/api-error.js';
import { parseAccept } from '../parse-accept.js';
import {
  type Brand,
  type Html,
  html,
  joinLines,
  type Page,
  pageRenderer,
  type RenderPage,
  webAddressOf,
} from './page.js';
import de from './strings/de.json' with { type: 'json' };
import en from './strings/en.json' with { type: 'json' };
import es from './strings/es.json' with { type: 'json' };
import fr from './strings/fr.json' with { type: 'json' };
import it from './strings/it.json' with { type: 'json' };
import ja from './strings/ja.json' with { type: 'json' };
import nl from './strings/nl.json' with { type: 'json' };
import pl from './strings/pl.json' with { type: 'json' };
import pt from './strings/pt.json' with { type: 'json' };
import zh from './strings/zh.json' with { type: 'json' };

/** What pages say in a language. Names in braces stand for values. */
type Strings = Readonly<typeof en>;

export type VisitorPages = ReturnType<typeof renderPages>;

/** Returns the pages in the language that a request prefers. */
export type PagesFor = (headers: IncomingHttpHeaders) => VisitorPages;

/** Returns a function that renders the pages of a language when they are first needed. */
export function createVisitorPages(brand: Brand): PagesFor {
  const rendered = new Map<Strings, VisitorPages>();
  return (headers) => {
    const strings = stringsFor(headers['accept-language']);
    const pages = rendered.get(strings) ?? renderPages(brand, strings);
    rendered.set(strings, pages);
    return pages;
  };
}

/** The languages of visitors' pages, by their codes of ISO 639. */
export const languages: Readonly<Record<string, Strings>> = {
  de,
  en,
  es,
  fr,
  it,
  ja,
  nl,
  pl,
  pt,
  zh,
};

/** Returns the texts in the language that `Accept-Language` prefers, or else in English. */
export function stringsFor(acceptLanguage: string | undefined): Strings {
  const ranges = parseAccept(acceptLanguage).filter(({ quality }) => quality > 0);
  const codes = ranges
    .sort((a, b) => b.quality - a.quality)
    // A browser of Austria asks for de-AT.
    .map(({ range }) => range.replace(/-.*/, ''));
  const code = codes.find((each) => each === '*' || Object.hasOwn(languages, each));
  return languages[code ?? ''] ?? en;
}

/** What the request for the form says about its visitor. The request that sends it says the form itself. */
export interface FormOrigin {
  readonly referrer: string;
  readonly fetchSite: string;
}

export interface PreviewedQr {
  readonly qrData: string;
  readonly size: number;
  readonly format: keyof typeof formatNames;
  readonly downloadUrl: string;
}

const formatNames = { png: 'PNG', svg: 'SVG', webp: 'WebP' } as const;

function renderPages(brand: Brand, strings: Strings) {
  const { pagesName: name, dashboard } = brand;
  const render = pageRenderer(brand, strings);
  const message = (heading: string, text: string) =>
    render(heading, html`<h1>${heading}</h1>\n<p>${text}</p>`);
  const describe = ({ code, headers }: ApiError) => {
    if (code === 'UNAUTHORIZED') return strings.wrongPassword;
    if (code !== 'RATE_LIMITED') return strings.unreadableForm;
    const minutes = Math.ceil(Number(headers['Retry-After']) / 60);
    const when = new Intl.RelativeTimeFormat(strings.lang).format(minutes, 'minute');
    return fill(strings.tooManyAttempts, { when });
  };
  /** Renders the page at `/` of a custom domain. It does not say which software runs there. */
  const domain = (hostname: string) => message(hostname, strings.servesLinks);
  return {
    notFound: message(strings.notFound, strings.notFoundWhy),
    gone: message(strings.gone, strings.goneWhy),
    takenDown: message(strings.takenDown, strings.takenDownWhy),
    unavailable: message(strings.unavailable, strings.tryAgain),
    qrNotFound: message(strings.qrNotFound, strings.checkAddress),
    qrGone: message(strings.qrGone, strings.qrGoneHint),
    qrInactive: message(strings.qrInactive, strings.qrInactiveHint),
    qrUnavailable: message(strings.qrUnavailable, strings.tryAgain),

    domain,
    home:
      name !== undefined
        ? domain(name)
        : render(
            'Shorty',
            html`<h1>${strings.home}</h1>
<p>${dashboard ? html`<a href="/dashboard/">${strings.dashboard}</a>, ` : ''}<a href="/docs">${strings.apiDocumentation}</a>, <a href="/openapi.yaml">openapi.yaml</a></p>`,
          ),

    /** Renders the password form of a link. `error` is that of the last attempt. */
    password({ referrer, fetchSite }: FormOrigin, error?: ApiError): Page {
      const notice = error
        ? html`<p class="error" id="error" role="alert">${describe(error)}</p>`
        : html`<p>${strings.enterPassword}</p>`;
      const described = error ? html` aria-describedby="error" aria-invalid="true"` : '';
      return render(
        strings.isProtected,
        html`<h1>${strings.isProtected}</h1>
${notice}
<form method="post">
<input type="hidden" name="referrer" value="${referrer}">
<input type="hidden" name="fetchSite" value="${fetchSite}">
<label for="password">${strings.password}</label>
<input id="password" name="password" type="password" maxlength="512" required autofocus autocomplete="off"${described}>
<button type="submit">${strings.submit}</button>
</form>`,
      );
    },

    /** Renders the preview of a code, which does not count as a download. */
    qr({ qrData, size, format, downloadUrl }: PreviewedQr) {
      const address = webAddressOf(qrData);
      const payload =
        address === undefined
          ? html`${qrData}`
          : html`<a href="${address}" rel="noreferrer nofollow">${address}</a>`;
      const pixels = String(size);
      const shownFormat = formatNames[format];
      return render(
        strings.qrCode,
        html`<h1>${strings.qrCode}</h1>
<img class="code" src="${downloadUrl}?preview=1" width="${pixels}" height="${pixels}" alt="${strings.qrAlt}">
<p>${fill(strings.qrFormat, { format: shownFormat, size: pixels })} <span id="content">${strings.qrContent}</span></p>
<p class="payload" tabindex="0" aria-labelledby="content">${payload}</p>
<a class="button" href="${downloadUrl}?download=1" download>${fill(strings.downloadImage, { format: shownFormat })}</a>
<a class="button quiet" href="${downloadUrl}">${strings.openImage}</a>`,
      );
    },

    info: (info: LinkInfo) => infoPage(render, strings, info),
  };
}

/** Replaces the names in braces of a text by values. */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

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
function infoPage(render: RenderPage, strings: Strings, info: LinkInfo): Page {
  const { location, title, createdAt, clicks } = info;
  const address = webAddressOf(location) ?? location;
  const date = new Date(createdAt);
  const day = new Intl.DateTimeFormat(strings.lang, { dateStyle: 'long', timeZone: 'UTC' });
  const shownTitle = title === null ? '' : html`<p>${title}</p>\n`;
  return render(
    strings.leadsTo,
    html`<h1>${strings.leadsTo}</h1>
<p class="payload"><a href="${address}" rel="noreferrer nofollow">${address}</a></p>
${shownTitle}<p><time datetime="${date.toISOString()}">${fill(strings.createdOn, { date: day.format(date) })}</time></p>
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
  const table = html`<table>
<caption>${strings.countries}</caption>
${joinLines(rows)}
</table>`;
  return html`<h2>${fill(strings.allClicks, { count: number.format(total) })}</h2>
<p>${strings.recentClicks}</p>
<svg class="bars" viewBox="0 0 ${String(days.length * barWidth)} ${String(chartHeight)}" preserveAspectRatio="none" role="img" aria-label="${strings.recentClicks}">
${joinLines(bars)}
</svg>
${rows.length === 0 ? '' : table}`;
}
