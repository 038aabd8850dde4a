import { type CellOptions, parseText, quoteCell } from './cell-values.js';
import type { Column } from './column.js';
import { nearestName } from './generated/nearest-name.js';
import { invalidColumn } from './json-export.js';
import { findLinkSource, type LinkSource, linkSources, sourceColumnName } from './link-sources.js';
import { FileError } from './text-format.js';
import type { FieldSet } from './url-fields.js';
import { formatCsvLine } from './write-csv.js';

/** The column of failed rows with their reasons. An import of the corrected rows ignores it. */
export const errorColumn = 'error';

export interface ColumnPlan {
  readonly columns: readonly Column[];
  /** Read-only columns, which the import skips with a note. */
  readonly skipped: readonly string[];
  /** Unknown columns, which a bare `--ignore-columns` skips. */
  readonly ignored: readonly string[];
  /** The titles of the columns. */
  readonly titles: readonly string[];
  readonly source?: LinkSource | undefined;
  readonly cells?: CellOptions | undefined;
}

export interface ColumnOptions {
  readonly cells?: CellOptions;
  /** Fields by column name, from `--map`. */
  readonly map: ReadonlyMap<string, string>;
  /** Names from `--ignore-columns`. `all` ignores every unknown column. */
  readonly ignore: ReadonlySet<string> | 'all';
}

/** Maps a header row to fields. Throws on unknown or duplicate columns, because a typing error must not lose data. */
export function planColumns(
  header: readonly string[],
  set: FieldSet,
  options: ColumnOptions,
): ColumnPlan {
  const titles = header.map((title) => title.trim());
  checkOptions(titles, options);
  const key = findKey(titles, set);
  const skipped: string[] = [];
  const unknown: string[] = [];
  const columns = titles.map((title): Column => {
    const mapped = lookUp(options.map, title);
    if (mapped !== undefined) return mappedColumn(title, mapped, set);
    if (isIgnored(title, options.ignore)) return { kind: 'ignored' };
    if (title === '') return { kind: options.ignore === 'all' ? 'ignored' : 'unnamed' };
    if (title === key) return { kind: 'field', name: 'id', parse: parseText };
    const column = findColumn(title, set);
    if (column) return column;
    if (isReadOnly(title, set)) skipped.push(title);
    else unknown.push(title);
    return { kind: 'ignored' };
  });
  refuseDuplicates(titles, columns);
  for (const name of set.required) requireField(name, titles, columns, set);
  if (unknown.length > 0 && options.ignore !== 'all') throw unknownColumns(unknown, titles, set);
  const { cells } = options;
  return { columns, titles, skipped, ignored: unknown, source: set.source, cells };
}

/** Returns the title of the column that names links, if the file has no column with their ids. */
function findKey(titles: readonly string[], { keys = [] }: FieldSet): string | undefined {
  const names = titles.map(normalise);
  const key = names.includes('id') ? undefined : keys.find((name) => names.includes(name));
  return key && titles[names.indexOf(key)];
}

/** Returns whether a column has a meaning, or an option names it. */
export function isKnownColumn(header: string, set: FieldSet, options: ColumnOptions): boolean {
  const title = header.trim();
  return (
    lookUp(options.map, title) !== undefined ||
    isIgnored(title, options.ignore) ||
    findColumn(title, set) !== undefined ||
    isReadOnly(title, set) ||
    set.keys?.includes(normalise(title)) === true
  );
}

/** Returns the use of a column with this title; undefined if it has no meaning. */
export function findColumn(title: string, set: FieldSet): Column | undefined {
  if (set.source && title === invalidColumn) return { kind: 'invalid' };
  if (title === errorColumn) return { kind: 'ignored' };
  const sourceName = sourceColumnName(title);
  if (set.source && Object.hasOwn(set.source.columns, sourceName)) {
    return set.source.columns[sourceName];
  }
  const spelling = normalise(title);
  const own = Object.keys(set.fields).find((field) => normalise(field) === spelling);
  const name = own ?? (Object.hasOwn(set.aliases, spelling) ? set.aliases[spelling] : undefined);
  const parse = name === undefined ? undefined : set.fields[name];
  if (name !== undefined && parse) return { kind: 'field', name, parse };
  return /^utm_./i.test(title) ? { kind: 'utm', name: title } : undefined;
}

function isReadOnly(title: string, set: FieldSet): boolean {
  const spelling = normalise(title);
  return set.readOnly.some((name) => normalise(name) === spelling);
}

function mappedColumn(title: string, target: string, set: FieldSet): Column {
  const column = findColumn(target, set);
  if (column) return column;
  const near = nearestName(target, Object.keys(set.fields));
  throw new FileError(
    `--map ${title}=${target}: unknown field ${target}`,
    near ? `did you mean ${near}?` : `fields: ${Object.keys(set.fields).join(', ')}, utm_*`,
  );
}

function requireField(
  name: string,
  titles: readonly string[],
  columns: readonly Column[],
  set: FieldSet,
): void {
  if (columns.some((column) => column.kind === 'field' && column.name === name)) return;
  // A column of short URLs is never the target.
  const candidate = titles.find((title) => title !== '' && !/short/i.test(title));
  let next = `use another column with --map ${quoteShell(candidate)}=${name}`;
  const { source } = set;
  if (source) {
    const isOwn = ([, column]: [string, Column]) => 'name' in column && column.name === name;
    const own = Object.entries(source.columns).filter(isOwn);
    const names = own.map(([title]) => title).join(' or ');
    next = `an export of ${source.title} names it ${names}; ${next}`;
  } else {
    if (titles.length === 1 && /[^\w\s.'-]/.test(titles[0] ?? '')) {
      next = 'if its columns have another separator, name it with --delimiter';
    }
    next = `the first row must name the columns; ${next}`;
  }
  const place = source ? 'file has no' : 'header has no column';
  throw new FileError(
    `the ${place} ${name}, only ${titles.map(quoteCell).join(', ')}`,
    hintOfSource(titles, set) ?? next,
  );
}

function refuseDuplicates(titles: readonly string[], columns: readonly Column[]): void {
  const seen = new Map<string, number>();
  for (const [index, column] of columns.entries()) {
    if (!('name' in column) || merged.includes(column.name)) continue;
    const first = seen.get(column.name);
    if (first !== undefined) {
      throw new FileError(
        `columns ${first + 1} (${quoteCell(titles[first] ?? '')}) and ${index + 1} (${quoteCell(titles[index] ?? '')}) both mean ${column.name}`,
        'ignore one with --ignore-columns, or rename it with --map',
      );
    }
    seen.set(column.name, index);
  }
}

// Several columns of an export can have click totals, of which the largest counts, or times.
const merged = ['importedClicks', 'importedCreatedAt', 'expiresAt'];

function unknownColumns(unknown: readonly string[], titles: readonly string[], set: FieldSet) {
  const candidates = Object.keys(set.fields);
  const named = unknown.map((title) => {
    const near = nearestName(title, candidates);
    return near ? `${quoteCell(title)} (did you mean ${near}?)` : quoteCell(title);
  });
  const plural = unknown.length === 1 ? 'unknown column' : 'unknown columns';
  return new FileError(
    `${plural} ${named.join(', ')}`,
    hintOfSource(titles, set) ??
      `use --map ${quoteShell(unknown[0])}=FIELD, or ignore with --ignore-columns=${quoteShell(formatCsvLine(unknown))}`,
  );
}

/** Returns the command that knows these columns. */
function hintOfSource(titles: readonly string[], set: FieldSet): string | undefined {
  const name = set.required.includes('targetUrl') ? findLinkSource(titles) : undefined;
  return (
    name && `the file has the columns of ${linkSources[name].title}: shorty import ${name} FILE`
  );
}

function checkOptions(titles: readonly string[], options: ColumnOptions): void {
  const named = [...options.map.keys(), ...(options.ignore === 'all' ? [] : options.ignore)];
  for (const name of named) {
    if (titles.some((title) => isSameTitle(title, name))) continue;
    throw new FileError(
      `unknown column ${quoteCell(name)}; the header has ${titles.map(quoteCell).join(', ')}`,
    );
  }
}

function lookUp(map: ReadonlyMap<string, string>, title: string): string | undefined {
  for (const [from, to] of map) if (isSameTitle(from, title)) return to;
  return undefined;
}

function isIgnored(title: string, ignore: ColumnOptions['ignore']): boolean {
  return ignore !== 'all' && [...ignore].some((name) => isSameTitle(name, title));
}

function isSameTitle(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

function normalise(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, '');
}

function quoteShell(title = 'column'): string {
  return /^[\w.,-]+$/.test(title) ? title : `'${title.replaceAll("'", "'\\''")}'`;
}
