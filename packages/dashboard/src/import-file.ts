import {
  type ColumnOptions,
  type ColumnPlan,
  type CsvRow,
  createFields,
  detectEncoding,
  errorColumn,
  type FieldSet,
  FileError,
  findColumn,
  findItemError,
  findLinkSource,
  type ImportRow,
  isJson,
  isKnownColumn,
  type LinkSource,
  linkSources,
  matchResults,
  planChunks,
  planColumns,
  type RowResult,
  readRows,
  refuseBinary,
  type TextRows,
  withDomainIds,
  withoutFirst,
  withReason,
} from '@shorty/import';
import type { UrlCreateRequest } from '@shorty/sdk';
import { api } from './session.js';

/** What a person picks for a column that is not imported. */
export const ignored = '-';

/** Returns what tells a file from others, and from the same one after a change. */
export const nameOf = ({ name, lastModified, size }: File): string =>
  `${name} ${lastModified} ${size}`;

/** An open file, and what its first rows have. */
export interface Sheet extends TextRows {
  readonly file: File;
  readonly encoding: string;
  /** The service that wrote it; undefined for a file of Shorty or of a spreadsheet. */
  readonly source: LinkSource | undefined;
  readonly header: CsvRow;
  /** The cells of the first row below the header. */
  readonly example: readonly string[];
}

/** How the rows of a sheet become links. */
export interface Settings {
  readonly sheet: Sheet;
  /** Fields that a person has picked, by column. */
  readonly uses: ReadonlyMap<string, string>;
  /** Whether links of another service get new short codes. */
  readonly hasNewCodes: boolean;
  /** The ids of the domains on which the links of old hosts are made; empty for that of the server. */
  readonly domains: ReadonlyMap<string, string>;
}

export interface BadRow extends Pick<ImportRow, 'line' | 'raw'> {
  readonly error: string;
}

async function readText(file: File, named: string | undefined) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const start = bytes.subarray(0, 4096);
  const encoding = named ?? detectEncoding(start, isUtf8(bytes));
  refuseBinary(file.name, start, encoding);
  return { encoding, text: new TextDecoder(encoding).decode(bytes) };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The services whose exports can be imported. */
export const sources: readonly LinkSource[] = Object.values(linkSources);

const fieldsOf = (source: LinkSource | undefined): FieldSet =>
  source ? { ...createFields, source } : createFields;

const noOptions: ColumnOptions = { map: new Map(), ignore: new Set() };

/** What a person says of a file: the service that wrote it, its encoding and its delimiter. */
type Reading = Readonly<Partial<Record<'source' | 'encoding' | 'delimiter', string>>>;

/** Opens a file. What the reading does not say is detected. */
export async function openSheet(file: File, reading: Reading): Promise<Sheet> {
  const { encoding, text } = await readText(file, reading.encoding);
  const read = async (source?: LinkSource): Promise<Sheet> => {
    const isKnown = (title: string) => isKnownColumn(title, fieldsOf(source), noOptions);
    const options = { source, isKnown, delimiter: reading.delimiter };
    const rows = await readRows({ name: file.name, text: () => partsOf(text) }, options);
    const all = rows.all();
    const header: CsvRow | undefined = (await all.next()).value;
    const first: CsvRow | undefined = (await all.next()).value;
    if (!header) throw new FileError(`${file.name} is empty`);
    return { ...rows, file, encoding, source, header, example: first?.cells ?? [] };
  };
  const named = sources.find(({ name }) => name === reading.source);
  if (named) return read(named);
  for (const source of isJson(text) ? sources : []) {
    const sheet = await read(source);
    if (findLinkSource(sheet.header.cells) === source.name) return sheet;
  }
  const sheet = await read();
  const found = findLinkSource(sheet.header.cells);
  return found ? read(linkSources[found]) : sheet;
}

async function* partsOf(text: string): AsyncGenerator<string> {
  yield text;
}

/** Plans the columns of a sheet. Throws FileError if they make no links. */
function planSheet({ sheet, uses }: Settings): ColumnPlan {
  const fields = fieldsOf(sheet.source);
  const { cells } = sheet.header;
  const map = new Map([...uses].filter(([, use]) => use !== '' && use !== ignored));
  // Nobody must decide on each unknown column: the table shows that it is ignored.
  const isIgnored = (title: string) =>
    uses.get(title) === ignored || !isKnownColumn(title, fields, { ...noOptions, map });
  return planColumns(cells, fields, { map, ignore: new Set(cells.filter(isIgnored)) });
}

/** Returns what a column becomes if nobody picks something. */
export function describeColumn(title: string, { source }: Sheet): string {
  const column = findColumn(title.trim(), fieldsOf(source));
  if (!column || column.kind === 'ignored') return 'ignored';
  if ('reason' in column) return `not kept: ${column.reason}`;
  return 'name' in column ? column.name : column.kind;
}

/** The fields that a column can have. */
export const fieldNames = Object.keys(createFields.fields);

async function* chunksOf(settings: Settings, now: number, signal: AbortSignal) {
  const { sheet, hasNewCodes, domains } = settings;
  const links = { domains, keepsCodes: !hasNewCodes, now };
  const rows = withoutFirst(sheet.all());
  const options = sheet.source ? { links } : {};
  const planned = planChunks(rows, planSheet(settings), options);
  for await (const chunk of withDomainIds(planned, async (hostname) => domains.get(hostname))) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/** What the dry run of a sheet has found. */
export interface Checked {
  readonly rows: number;
  readonly bad: readonly BadRow[];
  /** Links that are made paused, although they were not. */
  readonly paused: number;
  /** How many links lose a setting, by its column. */
  readonly notKept: ReadonlyMap<string, number>;
  /** The hosts of old short links. */
  readonly hosts: readonly string[];
}

/** Checks all rows, and makes nothing. */
export async function checkSheet(settings: Settings, signal: AbortSignal): Promise<Checked> {
  const bad: BadRow[] = [];
  const notKept = new Map<string, number>();
  const hosts = new Set<string>();
  let rows = 0;
  let paused = 0;
  for await (const chunk of chunksOf(settings, Date.now(), signal)) {
    for (const row of chunk.rows) {
      rows++;
      const error = row.item ? findItemError(row.item) : row.error;
      if (error !== undefined) bad.push({ ...placeOf(row), error });
      if (row.note !== undefined) paused++;
      if (row.host !== undefined) hosts.add(row.host);
      for (const setting of new Set(row.notKept?.map((each) => each.setting))) {
        notKept.set(setting, (notKept.get(setting) ?? 0) + 1);
      }
    }
    // The page stays usable while a large file is checked.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return { rows, bad, paused, notKept, hosts: [...hosts] };
}

const placeOf = ({ line, raw }: ImportRow) => ({ line, raw });

export interface Progress {
  readonly rows: number;
  readonly created: number;
  /** Links that an earlier import of the same file had made. */
  readonly replayed: number;
  readonly bad: readonly BadRow[];
}

/**
 * Makes the links of a sheet, and tells the progress. The keys of the requests are hashes of them, so
 * that another import of the file within a day makes no link twice. Once the plan's quota is reached,
 * all further rows are bad rows: they can be imported later as a file of their own.
 */
export async function importSheet(
  settings: Settings,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<void> {
  let progress: Progress = { rows: 0, created: 0, replayed: 0, bad: [] };
  let isFull = false as boolean;
  for await (const { index, rows } of chunksOf(settings, startOf(settings.sheet), signal)) {
    const wasFull = isFull;
    const items = wasFull ? [] : rows.flatMap(({ item }) => (item ? [item] : []));
    const sent = items.length > 0 && (await send(items, index, signal));
    const results: readonly RowResult<object>[] = matchResults(rows, sent ? sent.data : undefined);
    isFull ||= results.some(({ failure }) => failure?.code === 'QUOTA_EXCEEDED');
    const created = results.filter((result) => result.created).length;
    const isReplayed = sent && sent.response.headers.get('idempotent-replayed') === 'true';
    const bad = results.flatMap(({ row, failure }) =>
      failure ? [{ ...placeOf(row), error: wasFull ? notSent : failure.message }] : [],
    );
    progress = {
      rows: progress.rows + rows.length,
      created: progress.created + created,
      replayed: progress.replayed + (isReplayed ? created : 0),
      bad: [...progress.bad, ...bad],
    };
    onProgress(progress);
  }
}

const notSent = 'not sent, because the plan allows no more active links';
const patientForMs = 10 * 60_000;

function send(items: readonly unknown[], index: number, signal: AbortSignal) {
  const urls = items as UrlCreateRequest[];
  const idempotencyKey = `import-${index}-${hashOf(JSON.stringify(items))}`;
  const options = { idempotencyKey, signal, deadlineMs: patientForMs, maxRetries: 100 };
  return api.urls.bulkCreateChunk({ urls }, options).withResponse();
}

/**
 * Returns the 128 bits of FNV-1a. Pages without TLS have no `crypto.subtle`. A collision does no harm:
 * the server refuses a key that comes with another request.
 */
function hashOf(text: string): string {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * 0x1000000000000000000013bn);
  }
  return hash.toString(16);
}

const keyLifetimeMs = 24 * 3_600_000;

/** Returns when an import began first: links that expire meanwhile must not change its requests. */
function startOf({ file }: Sheet): number {
  const key = `shorty-import-${nameOf(file)}`;
  const startedAt = Number(localStorage.getItem(key));
  const now = Date.now();
  if (now - startedAt < keyLifetimeMs) return startedAt;
  localStorage.setItem(key, `${now}`);
  return now;
}

/** Returns a file of the bad rows, whose last column says what is wrong. */
export function badRowsText({ header, delimiter, lineEnd }: Sheet, bad: readonly BadRow[]): string {
  const rows = [{ raw: header.raw, error: errorColumn }, ...bad];
  const lines = rows.map(({ raw, error }) => withReason(raw, error, delimiter));
  // Spreadsheets read a file as UTF-8 if it begins with a mark.
  return `\ufeff${[...lines, ''].join(lineEnd)}`;
}
