import { Readable } from 'node:stream';
import { UsageError } from '../cli-error.js';
import { formatCsvLine } from '../csv-line.js';
import { guardFormula, quoteCell } from './cell-values.js';
import type { ColumnTest } from './csv-delimiter.js';
import { copyToInput, type ImportInput, readText } from './import-input.js';
import { type LinkSource, sourceColumnName } from './link-sources.js';

// A JSON document must be in memory as a whole. CSV has no such limit.
const maxBytes = 256 * 1024 * 1024;
// The fields that contain the links in responses of these services.
const containers = ['data', 'links', 'result', 'shortUrls', 'urls'];

/** The column that says why an entry of a JSON file is not a link. */
export const invalidColumn = 'import error';

type JsonObject = Readonly<Record<string, unknown>>;

interface JsonConversion {
  readonly input: ImportInput;
  readonly isJson: boolean;
  /** What the user should know. */
  readonly notes: readonly string[];
}

/**
 * Converts a JSON export to CSV, so that the same import reads both. The file is one document, or has one
 * on each line: lists of links, responses of the service's API that contain a list, or links. A file that
 * is not JSON is returned as it is.
 */
export async function convertJsonExport(
  input: ImportInput,
  source: LinkSource,
  { isKnownColumn, interrupt }: { isKnownColumn: ColumnTest; interrupt: AbortSignal },
): Promise<JsonConversion> {
  if (!(await isJson(input))) return { input, isJson: false, notes: [] };
  if (input.sizeBytes > maxBytes) {
    throw new UsageError(`${input.name} is larger than 256 MB`, 'split it into several files');
  }
  let text = '';
  for await (const block of readText(input, 'utf-8')) text += block.text;
  const entries = parseDocuments(text, input.name).flatMap(entriesOf);
  const rows = entries.map(
    (entry) =>
      new Map(isObject(entry) ? cellsOf(entry, source) : [[invalidColumn, describe(entry)]]),
  );
  const used = new Set(
    rows.flatMap((row) => [...row].flatMap(([column, cell]) => (cell === '' ? [] : [column]))),
  );
  // A field that Shorty does not know, and that no link sets, does not refuse the file.
  const unset = [...used].filter(
    (column) => !isKnownColumn(column) && rows.every((row) => isUnset(row.get(column))),
  );
  const columns = [...used].filter((column) => !unset.includes(column));
  if (columns.every((column) => column === invalidColumn)) {
    throw new UsageError(`${input.name} contains no links`);
  }
  const lines = function* () {
    yield `${formatCsvLine(columns)}\n`;
    for (const row of rows) {
      yield `${formatCsvLine(columns.map((column) => row.get(column) ?? ''))}\n`;
    }
  };
  const copy = await copyToInput(input.name, Readable.from(lines()), interrupt);
  await input.close();
  const notes = [`reading ${input.name} as JSON; "line 2" in messages is its first link`];
  if (unset.length > 0) {
    notes.push(`skipping unknown fields that are false in every link: ${unset.join(', ')}`);
  }
  return { input: copy, isJson: true, notes };
}

async function isJson(input: ImportInput): Promise<boolean> {
  for await (const { text } of readText(input, 'latin1')) {
    // ï»¿ is the byte order mark of UTF-8.
    const start = /^(?:ï»¿)?\s*([^\s])/.exec(text);
    if (start) return start[1] === '{' || start[1] === '[';
  }
  return false;
}

function parseDocuments(text: string, name: string): unknown[] {
  const content = text.replace(/^\ufeff/, '');
  try {
    return [JSON.parse(content)];
  } catch (error) {
    const lines = content.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw invalidJson(name, error);
    return lines.map((line, index) => {
      try {
        return JSON.parse(line);
      } catch {
        throw invalidJson(index === 0 ? name : `line ${index + 1} of ${name}`, error);
      }
    });
  }
}

function invalidJson(place: string, error: unknown): UsageError {
  return new UsageError(`${place} is not valid JSON: ${(error as Error).message}`);
}

/** Returns the entries of the list of links in a document. An entry that is no object is no link. */
function entriesOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  if (!isObject(document)) return [document];
  const container = containers.map((name) => document[name]).find((value) => isContainer(value));
  if (container !== undefined) return entriesOf(container);
  // YOURLS numbers the links of a list: link_1, link_2.
  const values = Object.values(document);
  return values.length > 0 && values.every(isObject) ? values : [document];
}

function describe(entry: unknown): string {
  return `must be a JSON object with the fields of a link, not ${quoteCell(JSON.stringify(entry))}`;
}

function isContainer(value: unknown): boolean {
  return Array.isArray(value) || isObject(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function* cellsOf(link: JsonObject, source: LinkSource, path = ''): Generator<[string, string]> {
  for (const [name, value] of Object.entries(link)) {
    const column = path === '' ? name : `${path}.${name}`;
    if (isObject(value) && hasColumnsBelow(column, source)) yield* cellsOf(value, source, column);
    else yield [column, cellOf(value)];
  }
}

function hasColumnsBelow(column: string, { columns }: LinkSource): boolean {
  const name = sourceColumnName(column);
  return Object.keys(columns).some((known) => known !== name && known.startsWith(name));
}

function isUnset(cell = ''): boolean {
  return cell === '' || cell === 'false';
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return guardFormula(value);
  if (isObject(value) && Object.keys(value).length === 0) return '';
  if (!Array.isArray(value)) return JSON.stringify(value);
  if (value.length === 0) return '';
  // The tags of Dub are objects.
  return JSON.stringify(value.map((each) => (isObject(each) && 'name' in each ? each.name : each)));
}
