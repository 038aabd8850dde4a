import { quoteCell } from './cell-values.js';
import type { Column, NotKept, Setting } from './column.js';
import type { ColumnPlan } from './column-plan.js';
import { parseUrl } from './parse-url.js';
import type { CsvRow } from './read-csv.js';
import { unguardFormula } from './write-csv.js';

export interface ConvertOptions {
  /** The cell that means null. An update uses it to clear a field. */
  readonly nullCell?: string;
  /** Set for the links of another shortener. */
  readonly links?: LinkRules;
}

/** How the links of another shortener are created. */
export interface LinkRules {
  /** The ids of custom domains by the host of the short URLs that move there. */
  readonly domains: ReadonlyMap<string, string>;
  /** False to let the server choose new short codes. */
  readonly keepsCodes: boolean;
  /** A link that expired before this time is created paused, because the server rejects its expiry. */
  readonly now: number;
}

/** The request item of a row, or the error that prevents one. */
export interface ConvertedRow {
  readonly item?: Readonly<Record<string, unknown>>;
  readonly error?: string | undefined;
  /** The host of the link's old short URL. */
  readonly host?: string | undefined;
  /** Why the link is created paused, although it was not paused. */
  readonly note?: string | undefined;
  readonly notKept?: readonly NotKept[] | undefined;
}

type SettingCell = { readonly title: string; readonly cell: string } & {
  readonly column: Extract<Column, { readonly read: unknown }>;
};

/** Converts a row to a request item, or returns the error of the row. */
export function convertRow(
  { cells }: CsvRow,
  { columns, source, cells: cellOptions }: ColumnPlan,
  { nullCell, links }: ConvertOptions = {},
): ConvertedRow {
  if (cells.length !== columns.length) {
    return { error: `the row has ${cells.length} of ${columns.length} cells` };
  }
  const item: Record<string, unknown> = {};
  const settings: SettingCell[] = [];
  let utm: Record<string, unknown> | undefined;
  for (const [index, { title, column }] of columns.entries()) {
    const cell = cells[index]?.trim();
    if (!cell || (cell === 'NULL' && source?.isMysqlTable)) continue;
    if (column.kind === 'invalid') return { error: unguardFormula(cell) };
    if (column.kind === 'ignored') continue;
    if (column.kind === 'unnamed') {
      return { error: `column ${index + 1} has a value but no name in the header` };
    }
    if (column.kind === 'utm') utm = { ...utm, [column.name]: unguardFormula(cell) };
    else if (column.kind !== 'field') settings.push({ title, cell, column });
    else if (cell === nullCell) item[column.name] = null;
    else {
      const parsed = column.parse(cell, cellOptions);
      if (parsed.error !== undefined) return { error: `${column.name} ${parsed.error}` };
      item[column.name] = mergeValues(column.name, item[column.name], parsed.value);
    }
  }
  if (utm) item.customUtmParams = { ...(item.customUtmParams as object | undefined), ...utm };
  if (item.password && item.isPasswordProtected === undefined) item.isPasswordProtected = true;
  if (!links) return { item };
  const read: Setting[] = [];
  const notKept: NotKept[] = [];
  const inOrder = settings.toSorted((a, b) => a.column.order - b.column.order);
  for (const { title, cell, column } of inOrder) {
    const found = column.read(cell, cellOptions);
    if (found.error !== undefined) return { error: `${title} ${found.error}` };
    Object.assign(item, found.fields);
    for (const reason of found.notKept ?? []) notKept.push({ setting: title, reason });
    read.push(found);
  }
  const rules = read.flatMap((found) => found.rules ?? []);
  if (rules.length > 0) item.rules = rules;
  return toImportedLink(item, read, notKept, links);
}

/** Returns the value of a field that several columns of an export can have. */
function mergeValues(name: string, before: unknown, value: unknown): unknown {
  if (before === undefined || value === undefined) return value ?? before;
  if (name === 'importedClicks') return Math.max(Number(before), Number(value));
  // The link ends at the earlier time.
  if (name === 'expiresAt') return String(before) < String(value) ? before : value;
  return value;
}

/** Returns the link to create for a link of another shortener. */
function toImportedLink(
  fields: Readonly<Record<string, unknown>>,
  settings: readonly Setting[],
  notKept: NotKept[],
  { domains, keepsCodes, now }: LinkRules,
): ConvertedRow {
  const first = <Name extends keyof Setting>(name: Name) =>
    settings.find((each) => each[name] !== undefined)?.[name];
  const shortUrl = first('customShortUrl') ?? first('shortUrl');
  const url = shortUrl === undefined ? undefined : parseShortUrl(shortUrl);
  if (shortUrl !== undefined && !url) {
    return { error: `the short URL ${quoteCell(shortUrl)} is not a URL` };
  }
  const item: Record<string, unknown> = { ...fields };
  const importedCode = fields.importedCode ?? (url && codeOf(url));
  delete item.importedCode;
  if (importedCode && keepsCodes) item.importedCode = importedCode;
  const createdAt = Date.parse(String(item.importedCreatedAt));
  // The clock of the other service, or its time zone, was wrong.
  if (createdAt < 0 || createdAt > now) delete item.importedCreatedAt;
  const host = url?.host ?? first('host')?.toLowerCase();
  const domainId = host === undefined ? undefined : domains.get(host);
  if (domainId !== undefined) item.domainId = domainId;
  if (settings.some(({ isPaused }) => isPaused)) item.isActive = false;
  const notes: string[] = [];
  if (typeof item.expiresAt === 'string' && Date.parse(item.expiresAt) <= now) {
    notes.push(`expired on ${item.expiresAt}`);
    delete item.expiresAt;
  }
  if (settings.some(({ isLocked }) => isLocked)) {
    notes.push('has a password, which the file does not contain');
  }
  const { maxClicks, importedClicks } = item;
  if (typeof maxClicks === 'number' && typeof importedClicks === 'number') {
    // Shorty does not count imported clicks.
    item.maxClicks = maxClicks - importedClicks;
    if (importedClicks >= maxClicks) {
      notes.push(`had ${importedClicks} clicks of at most ${maxClicks}`);
      delete item.maxClicks;
    }
  } else if (maxClicks !== undefined) {
    const reason = `the file has no clicks, so the link redirects ${maxClicks} more`;
    notKept.push({ setting: 'maxClicks', reason });
  }
  if (notes.length > 0) {
    item.isActive = false;
    if (item.expiredUrl !== undefined) {
      notKept.push({ setting: 'expiredUrl', reason: 'a paused link does not lead there' });
    }
  }
  const note = notes.length > 0 ? `${notes.join(' and ')}; created paused` : undefined;
  return { item, host, note, ...(notKept.length > 0 && { notKept }) };
}

function parseShortUrl(text: string): URL | undefined {
  return parseUrl(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
}

function codeOf({ pathname }: URL): string {
  const path = pathname.replace(/^\/|\/$/g, '');
  try {
    return decodeURIComponent(path);
  } catch {
    // Not percent-encoded. The server reports that it is no code.
    return path;
  }
}
