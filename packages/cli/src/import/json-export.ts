import { Readable } from 'node:stream';
import { UsageError } from '../cli-error.js';
import { formatCsvLine } from '../csv-line.js';
import { guardFormula } from './cell-values.js';
import { copyToInput, type ImportInput, readText } from './import-input.js';
import { type LinkSource, sourceColumnName } from './link-sources.js';

// A JSON document must be in memory as a whole. CSV has no such limit.
const maxBytes = 256 * 1024 * 1024;
// The fields that contain the links in responses of these services.
const containers = ['data', 'links', 'result', 'shortUrls', 'urls'];

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Converts a JSON export to CSV, so that the same import reads both. The file is one document, or has one
 * on each line: lists of links, responses of the service's API that contain a list, or links. A file that
 * is not JSON is returned as it is.
 */
export async function convertJsonExport(
  input: ImportInput,
  source: LinkSource,
  interrupt: AbortSignal,
): Promise<{ readonly input: ImportInput; readonly isJson: boolean }> {
  if (!(await isJson(input))) return { input, isJson: false };
  if (input.sizeBytes > maxBytes) {
    throw new UsageError(`${input.name} is larger than 256 MB`, 'split it into several files');
  }
  let text = '';
  for await (const block of readText(input, 'utf-8')) text += block.text;
  const links = parseDocuments(text, input.name).flatMap(linksOf);
  const rows = links.map((link) => new Map(cellsOf(link, source)));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].filter((column) =>
    rows.some((row) => isSet(row.get(column) ?? '')),
  );
  if (columns.length === 0) throw new UsageError(`${input.name} contains no links`);
  const lines = function* () {
    yield `${formatCsvLine(columns)}\n`;
    for (const row of rows) {
      yield `${formatCsvLine(columns.map((column) => row.get(column) ?? ''))}\n`;
    }
  };
  const copy = await copyToInput(input.name, Readable.from(lines()), interrupt);
  await input.close();
  return { input: copy, isJson: true };
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

function linksOf(document: unknown): JsonObject[] {
  if (Array.isArray(document)) return document.filter(isObject);
  if (!isObject(document)) return [];
  const container = containers.map((name) => document[name]).find((value) => isContainer(value));
  if (container !== undefined) return linksOf(container);
  // YOURLS numbers the links of a list: link_1, link_2.
  const values = Object.values(document);
  return values.length > 0 && values.every(isObject) ? values : [document];
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

// A field that no link sets does not become a column.
function isSet(cell: string): boolean {
  return cell !== '' && cell !== 'false';
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return guardFormula(value);
  if (!Array.isArray(value)) return JSON.stringify(value);
  if (value.length === 0) return '';
  // The tags of Dub are objects.
  return JSON.stringify(value.map((each) => (isObject(each) && 'name' in each ? each.name : each)));
}
