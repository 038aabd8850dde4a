import { formatCsvFile } from '@shorty/import/csv';
import {
  fetchLinkReport,
  fetchOverviewReport,
  html,
  type Report as ReportModel,
  reportBody,
  reportHtml,
  reportRows,
  reportStyle,
  type Section,
  type SectionRow,
} from '@shorty/report';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { download } from '../components/download.js';
import { Button, Problem, Screen, useLoaded } from '../components/elements.js';
import { Check } from '../components/field.js';
import { FilterBar, typingMs, useFilters } from '../components/list.js';
import { field, type Option, optionsOf, select } from '../fields.js';
import { api } from '../session.js';
import { useDomains } from './domains.js';

const liveEveryMs = 5_000;
const breakdownLimit = 10;

/** The report of a link, or of all links: its address has the period and the filters. */
export function Report({ params: { id } }: { readonly params: { readonly id?: string } }) {
  const { search } = useFilters();
  const [isLive, setLive] = useState(false);
  const domains = useDomains();
  const [reads, setReads] = useState(0);
  const read = (signal: AbortSignal) => readReport(id, search, signal);
  const { value: report, error } = useLoaded(`${id} ${search} ${reads}`, read, typingMs);
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => setReads((before) => before + 1), liveEveryMs);
    return () => clearInterval(timer);
  }, [isLive]);
  return (
    <Screen title={report?.title ?? 'Report'}>
      {id !== undefined && <Link href="/report">All links</Link>}
      <FilterBar filters={controls(search, domains, id === undefined)}>
        <Check label="Live" checked={isLive} onChecked={setLive} />
        {report && <Downloads report={report} />}
      </FilterBar>
      <Chips sections={report?.sections} />
      <Problem error={error} />
      {report && <Content report={report} />}
    </Screen>
  );
}

function controls(search: URLSearchParams, domains: readonly Option[], isOfAll: boolean) {
  const days = [field('from', 'From', { kind: 'date' }), field('to', 'To', { kind: 'date' })];
  const links = [field('tag', 'Tag'), select('domainId', 'Domain', [['', 'all'], ...domains])];
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = optionsOf(['UTC', ...Intl.supportedValuesOf('timeZone')]);
  return [
    select('period', 'Period', periods),
    ...(search.get('period') === 'custom' ? days : []),
    select('timezone', 'Time zone', [['', ownZone], ...zones]),
    ...(isOfAll ? links : []),
  ];
}

async function readReport(id: string | undefined, search: URLSearchParams, signal: AbortSignal) {
  const { query, groupBy } = queryOf(search, Date.now());
  const request = { client: api, query: { ...query, limit: breakdownLimit }, groupBy, signal };
  const fetched =
    id === undefined ? fetchOverviewReport(request) : fetchLinkReport(request, { id: () => id });
  return (await fetched).complete();
}

/** The filters of visits, each of which can be removed. */
function Chips({ sections = [] }: { readonly sections?: readonly Section[] | undefined }) {
  const { search, change } = useFilters();
  const titles = new Map(sections.map(({ name, title }) => [parameterOf(name), title]));
  return (
    <p class="row">
      {filtersOf(search).map(([name, value]) => {
        const text = `${titles.get(name) ?? name}: ${value}`;
        return (
          <Button
            key={text}
            aria-label={`Remove filter ${text}`}
            onClick={() => change((next) => next.delete(name, value))}
          >
            {text} ×
          </Button>
        );
      })}
    </p>
  );
}

function Downloads({ report }: { readonly report: ReportModel }) {
  const csv = () => download('report.csv', 'text/csv', formatCsvFile(reportRows(report)));
  const page = () => download('report.html', 'text/html', reportHtml(report, Date.now()));
  return (
    <>
      <Button onClick={csv}>Download CSV</Button>
      <Button onClick={page}>Download HTML</Button>
    </>
  );
}

/** The same as the HTML page of a report, with its style, which applies nowhere else. */
function Content({ report }: { readonly report: ReportModel }) {
  const { change } = useFilters();
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const isOpen = root.querySelector('details')?.open ?? false;
    const focused = root.activeElement?.getAttribute('aria-label');
    const style = new CSSStyleSheet();
    style.replaceSync(reportStyle.toString());
    root.adoptedStyleSheets = [style];
    // Its template escapes all texts.
    root.innerHTML = reportBody(report, nameOf).toString();
    root.querySelector('details')?.toggleAttribute('open', isOpen);
    // A live report is rendered again while somebody reads it.
    if (focused) root.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    host.current.onclick = (event) => {
      const { filter, value = '' } = (event.composedPath()[0] as HTMLElement).dataset;
      if (filter === undefined) return;
      change((next) => next.has(filter, value) || next.append(filter, value));
    };
  }, [report]);
  return <div ref={host} />;
}

/** Renders the name of a row: a click shows only its visits, or the report of its link. */
function nameOf({ name, label, detail }: SectionRow, section: Section) {
  if (section.name === 'top-url') return html`<a href="/dashboard/report/${detail}">${label}</a>`;
  // The rest of a list is no value of a filter.
  if (name === '(other)') return html`${label}`;
  return html`<button type="button" data-filter="${parameterOf(section.name)}" data-value="${name}" aria-label="Only ${section.title}: ${label}">${label}</button>`;
}

/** The periods that a person can choose, and how many days each has. */
const periods = [
  ['1', 'Last 24 hours'],
  ['7', '7 days'],
  ['', '30 days'],
  ['90', '90 days'],
  ['365', '365 days'],
  ['custom', 'From … to …'],
] as const;

const dayMs = 86_400_000;
const maxHoursMs = 3 * dayMs;

/** Returns the parameter of a section of a report, such as `utmSource` of `utm-source`. */
const parameterOf = (section: string): string =>
  section.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** What the address of a report has beside the filters of visits. */
const others = ['period', 'from', 'to', 'timezone', 'tag', 'domainId'];

/** Returns the filters of visits, in the order in which they were added. */
const filtersOf = (search: URLSearchParams) =>
  [...search].filter(([name]) => !others.includes(name));

/** Returns the query of the report at an address, such as `?period=7&country=DE`. */
function queryOf(search: URLSearchParams, now: number) {
  const timezone = search.get('timezone') ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { groupBy, ...window } = windowOf(search, timezone, now);
  const names = ['tag', 'domainId', ...filtersOf(search).map(([name]) => name)];
  const filters = Object.fromEntries(names.map((name) => [name, search.getAll(name)]));
  return { query: { ...window, timezone, ...filters }, groupBy };
}

function windowOf(search: URLSearchParams, timezone: string, now: number) {
  const period = search.get('period') ?? '30';
  if (period === '1')
    return { since: new Date(now - dayMs).toISOString(), groupBy: 'hour' } as const;
  if (period !== 'custom') {
    const today = Date.parse(dateIn(timezone, now));
    return { since: dateOf(today - (Number(period) - 1) * dayMs), groupBy: 'day' } as const;
  }
  const since = search.get('from') ?? undefined;
  const to = search.get('to');
  // The report has the last day, too.
  const until = to === null ? undefined : dateOf(Date.parse(to) + dayMs);
  const length = (until === undefined ? now : Date.parse(until)) - Date.parse(since ?? '');
  return { since, until, groupBy: length < maxHoursMs ? 'hour' : 'day' } as const;
}

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The date on the clocks of a time zone. Swedes write it as the API does. */
const dateIn = (timeZone: string, now: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now);
