import { isObject, type JsonObject, quoteCell } from './cell-values.js';
import { type LinkSource, sourceColumnName } from './link-sources.js';
import { FileError } from './text-format.js';
import { formatCsvLine, guardFormula } from './write-csv.js';

// The fields that contain the links in responses of these services.
const containers = ['data', 'links', 'result', 'shortUrls', 'urls'];

/** The column that says why an entry of a JSON file is not a link. */
export const invalidColumn = 'import error';

/** Returns whether a text begins like JSON. */
export function isJson(start: string): boolean {
  return /^\s*[[{]/.test(start);
}

/**
 * Converts a JSON export to CSV, so that the same import reads both. The text is one document, or has one
 * on each line: lists of links, responses of the service's API that contain a list, or links. A field that
 * is unknown and false is as good as missing.
 */
export function jsonToCsv(
  text: string,
  name: string,
  source: LinkSource,
  isKnownColumn: (title: string) => boolean,
): string {
  const rows = parseDocuments(text, name)
    .flatMap(entriesOf)
    .map((entry) => {
      if (!isObject(entry)) return new Map([[invalidColumn, describe(entry)]]);
      const cells = [...cellsOf(entry, source)];
      const isSet = ([column, cell]: [string, string]) =>
        cell !== '' && (cell !== 'false' || isKnownColumn(column));
      return new Map(cells.filter(isSet));
    });
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (columns.every((column) => column === invalidColumn)) {
    throw new FileError(`${name} contains no links`);
  }
  const lines = rows.map((row) => formatCsvLine(columns.map((column) => row.get(column) ?? '')));
  return [formatCsvLine(columns), ...lines, ''].join('\n');
}

function parseDocuments(text: string, name: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
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

function invalidJson(place: string, error: unknown): FileError {
  return new FileError(`${place} is not valid JSON: ${(error as Error).message}`);
}

/** Returns the entries of the list of links in a document. An entry that is no object is no link. */
function entriesOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  if (!isObject(document)) return [document];
  const fields = containers.map((name) => document[name]);
  const container = fields.find((value) => Array.isArray(value) || isObject(value));
  if (container !== undefined) return entriesOf(container);
  // YOURLS numbers the links of a list: link_1, link_2.
  const values = Object.values(document);
  return values.length > 0 && values.every(isObject) ? values : [document];
}

function describe(entry: unknown): string {
  return `must be a JSON object with the fields of a link, not ${quoteCell(JSON.stringify(entry))}`;
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

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return guardFormula(value);
  if (isObject(value) && Object.keys(value).length === 0) return '';
  if (!Array.isArray(value)) return JSON.stringify(value);
  if (value.length === 0) return '';
  // The tags of Dub are objects.
  return JSON.stringify(value.map((each) => (isObject(each) && 'name' in each ? each.name : each)));
}
