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

/** Returns the parameter of a section of a report, such as `utmSource` of `utm-source`. */
export const parameterOf = (section: string): string =>
  section.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** What the address of a report has beside the filters of visits. */
const controls = ['period', 'from', 'to', 'timezone', 'tag', 'domainId'];

/** Returns the filters of visits, in the order in which they were added. */
export const filtersOf = (search: URLSearchParams) =>
  [...search].filter(([name]) => !controls.includes(name));

/** Returns the query of the report at an address, such as `?period=7&country=DE`. */
export function queryOf(
  search: URLSearchParams,
  now: number,
): { readonly query: ClicksQuery & OverviewQuery; readonly groupBy: GroupBy } {
  const timezone = search.get('timezone') ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { groupBy, ...window } = windowOf(search, timezone, now);
  const names = ['tag', 'domainId', ...filtersOf(search).map(([name]) => name)];
  const filters = Object.fromEntries(names.map((name) => [name, search.getAll(name)]));
  return { query: { ...window, timezone, ...filters }, groupBy };
}

interface Window {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly groupBy: GroupBy;
}

function windowOf(search: URLSearchParams, timezone: string, now: number): Window {
  const period = search.get('period') ?? '30';
  if (period === '1') return { since: new Date(now - dayMs).toISOString(), groupBy: 'hour' };
  if (period !== 'custom') {
    const today = Date.parse(dateIn(timezone, now));
    return { since: dateOf(today - (Number(period) - 1) * dayMs), groupBy: 'day' };
  }
  const since = search.get('from') ?? undefined;
  const to = search.get('to');
  // The report has the last day, too.
  const until = to === null ? undefined : dateOf(Date.parse(to) + dayMs);
  const length = (until === undefined ? now : Date.parse(until)) - Date.parse(since ?? '');
  return { since, until, groupBy: length < maxHoursMs ? 'hour' : 'day' };
}

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The date on the clocks of a time zone. Swedes write it as the API does. */
const dateIn = (timeZone: string, now: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now);
