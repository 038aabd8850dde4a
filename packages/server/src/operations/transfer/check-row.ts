import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { decodeColumns } from '../../analytics/ingest/columns-codec.js';
import { ConfigError } from '../../config-error.js';
import { shorten } from '../../contract/api-error.js';
import { parseInput, secretNames } from '../../contract/parse-input.js';
import type { Value } from '../../storage/database.js';
import type { Row } from '../../storage/read-in-batches.js';
import { definitionOf, keyOf } from '../../storage/schema.js';
import { type ColumnCheck, columnChecks, type ValueCheck } from './column-checks.js';
import type { TransferRow } from './transfer-file.js';
import type { TransferTable } from './transfer-tables.js';

/** Checks of one table by column. */
type Checks = Readonly<Record<string, ColumnCheck>>;

/**
 * Checks a row of a file, which may be forged: its columns, whose names become part of statements, their
 * types, and each value that visits or requests interpret. Throws a ConfigError that names the row, the
 * field, its value and the rule.
 */
export function checkRow({ table, row, line }: TransferRow): void {
  const checks: Checks = columnChecks[table];
  const definitions = definitionOf(table).columns;
  for (const [column, stored] of Object.entries(row)) {
    const definition = Object.hasOwn(definitions, column) ? definitions[column] : undefined;
    if (definition === undefined) {
      throw new ConfigError(
        `line ${line}: this version has no column ${table}.${column}; import the file with the version that exported it, or a newer one`,
      );
    }
    const fault = findFault(column, stored, definition, checks[column] ?? 'plain');
    if (fault !== undefined) {
      throw new ConfigError(`line ${line}: ${table} ${nameOf(table, row)}: ${fault}`);
    }
  }
  if (table === 'visit_chunks') checkVisits(row, line);
}

/** Returns a row without the columns whose values are those of one server. */
export function withoutServerColumns(table: TransferTable, row: Row): Row {
  const checks: Checks = columnChecks[table];
  return Object.fromEntries(
    Object.entries(row).filter(([column]) => checks[column] !== 'ofServer'),
  );
}

/** Returns the wrong field of a value, and what is wrong with it. */
function findFault(
  column: string,
  stored: Value,
  definition: string,
  check: ColumnCheck,
): string | undefined {
  if (check === 'ofServer') return undefined;
  const typeRule = findTypeError(stored, definition);
  if (typeRule !== undefined) return describe(column, stored, typeRule);
  return stored === null || check === 'plain' ? undefined : findValueFault(column, stored, check);
}

function describe(column: string, stored: Value, rule: string): string {
  const isShown = !(stored instanceof Uint8Array) && !secretNames.test(column);
  const shown = typeof stored === 'string' ? shorten(stored) : stored;
  return `${column}: ${isShown ? `is ${JSON.stringify(shown)}: it ` : ''}${rule}`;
}

/** Returns the rule of a column's type that a value breaks. */
function findTypeError(stored: Value, definition: string): string | undefined {
  if (stored === null) {
    return /not null|primary key/.test(definition) ? 'must not be null' : undefined;
  }
  const [type] = definition.split(' ');
  switch (type) {
    case 'text':
    case 'secret':
      return typeof stored === 'string' ? undefined : 'must be a string';
    case 'bytes':
      return stored instanceof Uint8Array ? undefined : 'must be bytes';
    case 'double':
      return typeof stored === 'number' ? undefined : 'must be a number';
    default:
      return Number.isSafeInteger(stored) ? undefined : 'must be a whole number';
  }
}

function findValueFault(
  column: string,
  stored: Value,
  { parse, schema }: ValueCheck,
): string | undefined {
  let value: unknown;
  try {
    value = parse(stored);
  } catch (error) {
    return describe(column, stored, (error as Error).message);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    // Requests may send another form, such as a country in lower case, which is converted before it is stored.
    const normal: unknown = JSON.parse(JSON.stringify(parsed.data));
    if (isDeepStrictEqual(normal, value)) return undefined;
    const form = shorten(JSON.stringify(normal));
    return describe(column, stored, `must have the form that the server stores: ${form}`);
  }
  const explained = parseInput(z.object({ [column]: schema }), { [column]: value });
  const [first] = explained.ok ? [] : explained.details;
  return `${first?.path ?? column}: ${first?.message ?? 'is invalid'}`;
}

/** Returns the primary key of a row, for people. */
function nameOf(table: TransferTable, row: Row): string {
  return keyOf(table)
    .map((column) => shorten(String(row[column])))
    .join(' ');
}

/** Decodes visits, which threads decode later. */
function checkVisits(row: Row, line: number): void {
  try {
    const { count } = decodeColumns(row.visits as Uint8Array);
    if (count === row.visit_count) return;
    throw new RangeError(`${count} visits, but visit_count is ${row.visit_count}`);
  } catch (cause) {
    throw new ConfigError(`line ${line}: the visits cannot be decoded`, { cause });
  }
}
