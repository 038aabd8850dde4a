import { formatCsvFile } from '@shorty/import';
import {
  describeBefore,
  describeBucket,
  describeWindow,
  fetchReport,
  formatChange,
  formatNumber,
  formatShare,
  labelOf,
  linkReport,
  overviewReport,
  type Report as ReportModel,
  reportHtml,
  reportRows,
  type Section,
  type SectionRow,
  svgChart,
  toBars,
} from '@shorty/report';
import { type ClicksQuery, NotFoundError, type OverviewQuery, type UrlRecord } from '@shorty/sdk';
import { useEffect, useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import { api, describeError } from '../api.js';
import { download } from '../components/download.js';
import { Check, Field, Select } from '../components/form.js';
import { useLoaded } from '../components/loaded.js';
import {
  type FilterName,
  filterNames,
  filterOf,
  filtersOf,
  periods,
  queryOf,
  timezoneOf,
} from '../report-query.js';
import { may } from '../session.js';

const liveEveryMs = 5_000;
const maxBars = 120;
const breakdownLimit = 10;
const noDomains: ReadonlyMap<string, string> = new Map();

type Change = (change: (search: URLSearchParams) => void) => void;

/** The report of a link, or of all links: its address has the period and the filters. */
export function Report({ params: { id } }: { readonly params: { readonly id?: string } }) {
  const [search, setSearch] = useSearchParams();
  const [isLive, setLive] = useState(false);
  const { value: domains = noDomains } = useLoaded('domains', readDomains);
  const { report, error, isLoading } = useReport(id, search, isLive);
  const change: Change = (edit) => {
    // Not `search`, which is older than the address until the next rendering.
    const next = new URLSearchParams(location.search);
    edit(next);
    setSearch(next);
  };
  return (
    <>
      <h1>{report?.title ?? 'Report'}</h1>
      {id !== undefined && <Link href="/report">All links</Link>}
      <Controls search={search} change={change} isOfAll={id === undefined} domains={domains} />
      <div class="row">
        <Check
          label="Live"
          checked={isLive}
          onChange={({ currentTarget }) => setLive(currentTarget.checked)}
        />
        {report && <Downloads report={report} />}
      </div>
      <Filters search={search} change={change} domains={domains} />
      {error !== '' && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <div aria-busy={isLoading}>{report && <Content report={report} change={change} />}</div>
    </>
  );
}

/** Reads a report at each change of its address, and again and again while it is live. */
function useReport(id: string | undefined, search: URLSearchParams, isLive: boolean) {
  const [report, setReport] = useState<ReportModel | undefined>();
  const [error, setError] = useState('');
  const [isLoading, setLoading] = useState(true);
  useEffect(() => {
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        const next = await readReport(id, search);
        if (!isCurrent) return;
        setReport(next);
        setError('');
      } catch (reason) {
        if (isCurrent) setError(describeError(reason));
      }
      if (!isCurrent) return;
      setLoading(false);
      if (isLive) timer = setTimeout(read, liveEveryMs);
    };
    setLoading(true);
    void read();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
    // The text of the parameters, which are another object at each rendering.
  }, [id, String(search), isLive]);
  return { report, error, isLoading };
}

async function readReport(id: string | undefined, search: URLSearchParams): Promise<ReportModel> {
  const { query, groupBy } = queryOf(search, Date.now());
  const request = { query: { ...query, limit: breakdownLimit }, groupBy };
  const fetched =
    id === undefined
      ? await fetchReport(request, {
          read: (each: OverviewQuery) => api.analytics.overview(each),
          linksOf: ({ topUrls }) => topUrls.map(({ urlId }) => urlId),
          readNames,
          toReport: overviewReport,
        })
      : await fetchReport(request, {
          read: (each: ClicksQuery) => api.urls.clicks(id, each),
          linksOf: ({ urlId }) => [urlId],
          readNames,
          toReport: linkReport,
        });
  return fetched.complete();
}

async function readNames(ids: readonly string[]): Promise<Map<string, UrlRecord>> {
  if (!may('urls:read')) return new Map();
  const urls = await Promise.all(ids.map(readUrl));
  return new Map(urls.flatMap((url) => (url ? [[url.id, url] as const] : [])));
}

/** Reads a link, which may have been erased meanwhile. */
async function readUrl(id: string): Promise<UrlRecord | undefined> {
  try {
    return await api.urls.get(id);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function Controls({
  search,
  change,
  isOfAll,
  domains,
}: {
  readonly search: URLSearchParams;
  readonly change: Change;
  readonly domains: ReadonlyMap<string, string>;
  readonly isOfAll: boolean;
}) {
  const period = search.get('period') ?? '30';
  const set = (name: string) => (event: { readonly currentTarget: { readonly value: string } }) => {
    const { value } = event.currentTarget;
    change((next) => (value === '' ? next.delete(name) : next.set(name, value)));
  };
  return (
    <div class="filters">
      <Select label="Period" value={period} options={periods} onChange={set('period')} />
      {period === 'custom' && (
        <>
          <Field label="From" type="date" value={search.get('from') ?? ''} onChange={set('from')} />
          <Field label="To" type="date" value={search.get('to') ?? ''} onChange={set('to')} />
        </>
      )}
      <Select
        label="Time zone"
        value={timezoneOf(search)}
        options={timezones(timezoneOf(search))}
        onChange={set('timezone')}
      />
      {isOfAll && (
        <>
          <Field
            label="Tag"
            value=""
            onChange={({ currentTarget }) => {
              const tag = currentTarget.value.trim();
              if (tag !== '') change((next) => addFilter(next, 'tag', tag));
            }}
          />
          <DomainFilter domains={domains} change={change} />
        </>
      )}
    </div>
  );
}

/** The time zones that the browser knows, and the chosen one. */
function timezones(chosen: string): (readonly [string, string])[] {
  const names = new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')]);
  return [...names].map((name) => [name, name]);
}

function addFilter(search: URLSearchParams, name: FilterName, value: string): void {
  if (!search.has(name, value)) search.append(name, value);
}

function DomainFilter({
  domains,
  change,
}: {
  readonly domains: ReadonlyMap<string, string>;
  readonly change: Change;
}) {
  if (domains.size === 0) return null;
  return (
    <Select
      label="Domain"
      value=""
      options={[['', 'all'], ...domains]}
      onChange={({ currentTarget: { value } }) =>
        value !== '' && change((next) => addFilter(next, 'domainId', value))
      }
    />
  );
}

/** Reads the host names of the custom domains by their id. */
async function readDomains(): Promise<ReadonlyMap<string, string>> {
  if (!may('domains:read')) return new Map();
  const { items } = await api.domains.list({ limit: 100 });
  return new Map(items.map(({ id, hostname }) => [id, hostname]));
}

/** The filters of a report, each of which can be removed. */
function Filters({
  search,
  change,
  domains,
}: {
  readonly search: URLSearchParams;
  readonly change: Change;
  readonly domains: ReadonlyMap<string, string>;
}) {
  const filters = filtersOf(search).map(([name, value]) => {
    const shown = (name === 'domainId' && domains.get(value)) || value;
    return { name, value, text: `${filterNames[name]}: ${shown}` };
  });
  if (filters.length === 0) return null;
  return (
    <ul class="row chips" aria-label="Filters">
      {filters.map(({ name, value, text }) => (
        <li key={text}>
          <button
            type="button"
            aria-label={`Remove filter ${text}`}
            onClick={() => change((next) => next.delete(name, value))}
          >
            {text} ×
          </button>
        </li>
      ))}
    </ul>
  );
}

function Downloads({ report }: { readonly report: ReportModel }) {
  return (
    <>
      <button
        type="button"
        onClick={() => download('report.csv', 'text/csv', formatCsvFile(reportRows(report)))}
      >
        Download CSV
      </button>
      <button
        type="button"
        onClick={() => download('report.html', 'text/html', reportHtml(report, Date.now()))}
      >
        Download HTML
      </button>
    </>
  );
}

function Content({ report, change }: { readonly report: ReportModel; readonly change: Change }) {
  const { totals, notes = [], sections, totalClicks } = report;
  return (
    <>
      <p class="hint">{describeWindow(report)}</p>
      <p class="hint">{describeBefore(report)}</p>
      {notes.map((note) => (
        <p class="hint" key={note}>
          {note}
        </p>
      ))}
      <ul class="totals">
        {totals.map((total) => (
          <li key={total.name}>
            <b>{formatNumber(total.count)}</b> {labelOf(total)}
            {formatChange(total) !== '' && <small> ({formatChange(total)})</small>}
          </li>
        ))}
      </ul>
      <Series report={report} />
      {totalClicks > 0 && (
        <div class="sections">
          {sections.map((section) => (
            <Breakdown key={section.name} section={section} total={totalClicks} change={change} />
          ))}
        </div>
      )}
    </>
  );
}

function Series({ report }: { readonly report: ReportModel }) {
  const { series, groupBy, totalClicks } = report;
  if (totalClicks === 0) return <p class="none">No clicks in this period.</p>;
  const bars = toBars(series, groupBy, maxBars);
  const isWhole = bars.every(({ buckets }) => buckets === 1);
  return (
    <figure class={`series ${isWhole ? 'whole' : 'merged'}`}>
      <figcaption>
        <span class="key clicks">clicks</span>
        {isWhole && <span class="key uniques">unique visitors</span>}
      </figcaption>
      {/* Its template escapes all texts. */}
      <div dangerouslySetInnerHTML={{ __html: svgChart(bars, groupBy).toString() }} />
      <details>
        <summary>The numbers</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{groupBy}</th>
              <th scope="col" class="number">
                clicks
              </th>
              <th scope="col" class="number">
                unique visitors
              </th>
            </tr>
          </thead>
          <tbody>
            {series.map(({ bucket, clicks, uniques, isPartial }) => (
              <tr key={bucket}>
                <th scope="row">
                  {describeBucket(bucket, groupBy)}
                  {isPartial && ' (partial)'}
                </th>
                <td class="number">{formatNumber(clicks)}</td>
                <td class="number">{formatNumber(uniques)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function Breakdown({
  section: { name, title, rows },
  total,
  change,
}: {
  readonly section: Section;
  readonly total: number;
  readonly change: Change;
}) {
  const max = Math.max(0, ...rows.map(({ clicks }) => clicks));
  return (
    <section class={name}>
      <h2>{title}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col" class="number">
              clicks
            </th>
            <th scope="col" class="number">
              share
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <RowName section={name} row={row} change={change} />
                <span class="share" style={{ width: `${(row.clicks / max) * 100}%` }} />
              </th>
              <td class="number">{formatNumber(row.clicks)}</td>
              <td class="number">{formatShare(row.clicks, total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The name of a row: a click shows only its visits, or the report of its link. */
function RowName({
  section,
  row: { name, label, detail, title },
  change,
}: {
  readonly section: string;
  readonly row: SectionRow;
  readonly change: Change;
}) {
  const filter = filterOf(section);
  const note = section === 'top-url' ? title : detail;
  const kind = note ? <small> {note}</small> : null;
  // The rest of a list is no value of a filter.
  if (name === '(other)') return <>{label}</>;
  if (section === 'top-url') {
    return (
      <>
        <Link href={`/report/${detail}`}>{label}</Link>
        {kind}
      </>
    );
  }
  if (filter === undefined) return <>{label}</>;
  return (
    <>
      <button
        type="button"
        class="plain"
        aria-label={`Only ${filterNames[filter]}: ${label}`}
        onClick={() => change((next) => addFilter(next, filter, name))}
      >
        {label}
      </button>
      {kind}
    </>
  );
}
