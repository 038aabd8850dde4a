import type { DictionaryColumn } from '../ingest/visit-columns.js';
import type { Dimension, Dimensions } from './dimensions.js';

/** Selects visits whose column has one of these values. */
export interface Condition {
  /** The query parameter. */
  readonly parameter: string;
  readonly column: string;
  /** The field that is compared, if a value of the column has several. */
  readonly field: 'whole' | 'first' | 'second';
  /** In lower case. The empty one selects visits without a value. */
  readonly values: readonly string[];
}

/** Returns the conditions of the query parameters that are set. A visit must match all of them. */
export function toConditions(
  dimensions: Dimensions,
  query: Readonly<Record<string, unknown>>,
): Condition[] {
  const conditions = new Map<string, Condition>();
  for (const { column, none, filters } of Object.values<Dimension>(dimensions)) {
    const parameters = Object.keys(filters);
    for (const [index, parameter] of parameters.entries()) {
      const values = query[parameter] as readonly string[] | undefined;
      if (values === undefined) continue;
      const field = parameters.length === 1 ? 'whole' : index === 0 ? 'first' : 'second';
      const lower = values.map((value) => value.toLowerCase());
      if (none !== undefined && lower.includes(none.toLowerCase())) lower.push('');
      conditions.set(parameter, { parameter, column, field, values: lower });
    }
  }
  return [...conditions.values()];
}

/** Returns the indexes of the visits that match all conditions. */
export function filterVisits(
  columns: Readonly<Record<string, DictionaryColumn>>,
  indexes: Uint32Array,
  conditions: readonly Condition[] = [],
): Uint32Array {
  return conditions.reduce((remaining, condition) => {
    const { values, codes } = columns[condition.column] as DictionaryColumn;
    const wanted = new Set(condition.values);
    const matches = values.map((value) => wanted.has(fieldOf(value, condition.field)));
    return remaining.filter((index) => matches[codes[index] as number]);
  }, indexes);
}

function fieldOf(value: string, field: Condition['field']): string {
  const lower = value.toLowerCase();
  if (field === 'whole') return lower;
  const space = lower.indexOf(' ');
  return field === 'first' ? lower.slice(0, space) : lower.slice(space + 1);
}
