import { type ClicksQuery, ValidationError } from '@shorty/sdk';
import {
  type GroupBy,
  type LinkNames,
  type Report,
  type ReportExtras,
  type ReportFilters,
  wallTimeOf,
} from './report-model.js';

/** The requests of a report, and the report of their responses. */
export interface ReportSource<Data extends Window, Query> {
  readonly read: (query: Query) => PromiseLike<Data>;
  /** The links whose names the report shows. */
  readonly linksOf: (data: Data) => readonly string[];
  readonly readNames: (ids: readonly string[]) => Promise<ReadonlyMap<string, LinkNames>>;
  readonly toReport: (data: Data, groupBy: GroupBy, extras: ReportExtras<Data>) => Report;
}

interface Window {
  readonly since: string;
  readonly until: string;
}

/** A response, and a function that reads what only people see: titles and the window before. */
export interface FetchedReport<Data, Shown = Report> {
  readonly data: Data;
  readonly complete: () => Promise<Shown>;
}

export async function fetchReport<Data extends Window, Query extends ClicksQuery>(
  {
    query: asked,
    groupBy,
    filters = {},
  }: {
    readonly query: Query;
    readonly groupBy: GroupBy;
    /** The filters of the query, which the report names. */
    readonly filters?: ReportFilters;
  },
  { read, linksOf, readNames, toReport }: ReportSource<Data, Query>,
): Promise<FetchedReport<Data>> {
  const data = await read(asked);
  const query = { ...asked, groupBy: 'day', limit: 1 };
  const complete = async () => {
    const windowBefore = beforeWindow(data, asked.since);
    const [before, links] = await Promise.all([
      windowBefore && readBefore(() => read({ ...query, ...windowBefore })),
      readNames(linksOf(data)),
    ]);
    return toReport(data, groupBy, { before, links, filters });
  };
  const isFiltered = Object.keys(filters).length > 0;
  return { data: isFiltered ? { filters, ...data } : data, complete };
}

const plainDate = /^\d{4}-\d\d-\d\d$/;

/**
 * Returns the window of the same length before; undefined if it begins before 1970. If `asked`, the
 * start in the query, is a date, the length is that on the clocks of the time zone: a week remains a
 * week if clocks change.
 */
function beforeWindow({ since, until }: Window, asked: ClicksQuery['since']): Window | undefined {
  if (typeof asked === 'string' && plainDate.test(asked)) {
    const start = Date.parse(asked);
    const before = start - (wallTimeOf(until) - start);
    // Without an offset, it is a time in the time zone of the query.
    const local = (at: number) => new Date(at).toISOString().slice(0, -1);
    return before < 0 ? undefined : { since: local(before), until: since };
  }
  const start = Date.parse(since);
  const before = start - (Date.parse(until) - start);
  return before < 0 ? undefined : { since: new Date(before).toISOString(), until: since };
}

/** Reads the window before. A filter is refused if its visits are deleted. */
async function readBefore<Data>(read: () => PromiseLike<Data>): Promise<Data | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ValidationError) return undefined;
    throw error;
  }
}
