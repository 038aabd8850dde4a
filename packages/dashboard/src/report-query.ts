import type { GroupBy } from '@shorty/report';
import type { ClicksQuery, OverviewQuery } from '@shorty/sdk';

/** The periods that a person can choose, and how many days each has. */
export const periods = [
  ['1', 'Last 24 hours'],
  ['7', '7 days'],
  ['', '30 days'],
  ['90', '90 days'],
  ['365', '365 days'],
  ['custom', 'From … to …'],
] as const;

const dayMs = 86_400_000;
const maxHoursMs = 3 * dayMs;

/** The filters of a report, by their parameter, and what they are called. */
export const filterNames = {
  country: 'Country',
  region: 'Region',
  city: 'City',
  device: 'Device',
  browser: 'Browser',
  os: 'Operating system',
  referrer: 'Referrer',
  language: 'Language',
  utmSource: 'UTM source',
  utmMedium: 'UTM medium',
  utmCampaign: 'UTM campaign',
  utmTerm: 'UTM term',
  utmContent: 'UTM content',
  variant: 'Rule',
  tag: 'Tag',
  domainId: 'Domain',
} as const;

export type FilterName = keyof typeof filterNames;

export const isFilter = (name: string): name is FilterName => Object.hasOwn(filterNames, name);

/** Returns the filter that a section of a report names, such as `utmSource` of `utm-source`. */
export function filterOf(section: string): FilterName | undefined {
  const name = section.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return isFilter(name) ? name : undefined;
}

/** Returns the filters of the address of a report, in the order in which they were added. */
export function filtersOf(search: URLSearchParams): (readonly [FilterName, string])[] {
  return [...search].flatMap(([name, value]) => (isFilter(name) ? [[name, value] as const] : []));
}

/** The time zone of a report: that of the browser unless another is chosen. */
export const timezoneOf = (search: URLSearchParams): string =>
  search.get('timezone') ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the query of the report at an address, such as `?period=7&country=DE`. */
export function queryOf(
  search: URLSearchParams,
  now: number,
): { readonly query: ClicksQuery & OverviewQuery; readonly groupBy: GroupBy } {
  const timezone = timezoneOf(search);
  const window = windowOf(search, timezone, now);
  const filters: Partial<Record<FilterName, string[]>> = {};
  for (const [name, value] of filtersOf(search)) filters[name] = [...(filters[name] ?? []), value];
  const query = { ...window, timezone, ...filters } as ClicksQuery & OverviewQuery;
  return { query, groupBy: window.groupBy };
}

function windowOf(search: URLSearchParams, timezone: string, now: number) {
  const period = search.get('period') ?? '30';
  const from = search.get('from') ?? '';
  const to = search.get('to') ?? '';
  if (period !== 'custom') {
    if (period === '1') {
      return { since: new Date(now - dayMs).toISOString(), groupBy: 'hour' } as const;
    }
    const today = Date.parse(dateIn(timezone, now));
    return { since: dateOf(today - (Number(period) - 1) * dayMs), groupBy: 'day' } as const;
  }
  // The report has the last day, too.
  const until = to === '' ? undefined : dateOf(Date.parse(to) + dayMs);
  const length = (until === undefined ? now : Date.parse(until)) - Date.parse(from);
  return {
    ...(from !== '' && { since: from }),
    ...(until !== undefined && { until }),
    groupBy: length < maxHoursMs ? ('hour' as const) : ('day' as const),
  };
}

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The date on the clocks of a time zone. Swedes write it as the API does. */
const dateIn = (timeZone: string, now: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now);
