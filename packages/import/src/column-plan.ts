import { type CellOptions, parseText, quoteCell } from './cell-values.js';
import type { Column } from './column.js';
import { nearestName } from './generated/nearest-name.js';
import { invalidColumn } from './json-export.js';
import { findLinkSource, type LinkSource, linkSources, sourceColumnName } from './link-sources.js';
import { FileError } from './text-format.js';
import type { FieldSet } from './url-fields.js';
import { errorColumn } from './write-csv.js';

/** The use of a column with this title. */
export interface PlannedColumn {
  readonly title: string;
  readonly column: Column;
}

export interface ColumnPlan {
  readonly columns: readonly PlannedColumn[];
  /** Read-only columns, which the import skips with a note. */
  readonly skipped: readonly string[];
  /** Unknown columns, which a bare `--ignore-columns` skips. */
  readonly ignored: readonly string[];
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
  const useOf = (title: string): Column => {
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
  };
  const columns = titles.map((title) => ({ title, column: useOf(title) }));
  refuseDuplicates(columns);
  if (!columns.some(({ column }) => column.kind === 'field' && column.name === set.required)) {
    const next = `the first row must name the columns; --map COLUMN=${set.required} uses another one`;
    throw new FileError(
      `the header has no column ${set.required}, only ${titles.map(quoteCell).join(', ')}`,
      hintOfSource(titles, set) ?? next,
    );
  }
  if (unknown.length > 0 && options.ignore !== 'all') {
    const named = unknown.map((title) => withNearest(title, set)).join(', ');
    throw new FileError(
      `unknown ${unknown.length === 1 ? 'column' : 'columns'} ${named}`,
      hintOfSource(titles, set) ?? `use --map COLUMN=FIELD or --ignore-columns; ${listFields(set)}`,
    );
  }
  const { cells } = options;
  return { columns, skipped, ignored: unknown, source: set.source, cells };
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
  throw new FileError(
    `--map ${title}=${target}: unknown field ${withNearest(target, set)}`,
    listFields(set),
  );
}

/** Returns a misspelt name with the field that it may stand for. */
function withNearest(name: string, { fields }: FieldSet): string {
  const near = nearestName(name, Object.keys(fields));
  return near ? `${quoteCell(name)} (did you mean ${near}?)` : quoteCell(name);
}

function listFields({ fields }: FieldSet): string {
  return `fields: ${Object.keys(fields).join(', ')}, utm_*`;
}

function refuseDuplicates(columns: readonly PlannedColumn[]): void {
  const seen = new Map<string, string>();
  for (const [index, { title, column }] of columns.entries()) {
    if (!('name' in column) || merged.includes(column.name)) continue;
    const first = seen.get(column.name);
    const place = `${index + 1} (${quoteCell(title)})`;
    if (first !== undefined) {
      throw new FileError(
        `columns ${first} and ${place} both mean ${column.name}`,
        'ignore one with --ignore-columns, or rename it with --map',
      );
    }
    seen.set(column.name, place);
  }
}

// Several columns of an export can have click totals, of which the largest counts, or times.
const merged = ['importedClicks', 'importedCreatedAt', 'expiresAt'];

/** Returns the command that knows these columns. */
function hintOfSource(titles: readonly string[], set: FieldSet): string | undefined {
  const name = set.required === 'targetUrl' ? findLinkSource(titles) : undefined;
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
