import { type DictionaryColumn, selectVisits, type VisitColumns } from '../ingest/visit-columns.js';
import { type Dimension, type Dimensions, splitFields } from './dimensions.js';

/** Selects visits whose column has one of these values. */
export interface Condition extends Pick<Dimension, 'column' | 'fields' | 'separator'> {
  /** The index of the field that is compared. */
  readonly field: number;
  /** In lower case. The empty one selects visits without a value. */
  readonly values: readonly string[];
}

/** Returns the conditions of the query parameters that are set. A visit must match all of them. */
export function toConditions(
  dimensions: Dimensions,
  query: Readonly<Record<string, unknown>>,
): Condition[] {
  const conditions = new Map<string, Condition>();
  for (const dimension of Object.values<Dimension>(dimensions)) {
    const { none, filters } = dimension;
    const noneOf = none === undefined ? [] : splitFields(dimension, none.toLowerCase());
    for (const [field, parameter] of filters.entries()) {
      const values = query[parameter] as readonly string[] | undefined;
      if (values === undefined) continue;
      const lower = values.map((value) => value.toLowerCase());
      if (noneOf[field] !== undefined && lower.includes(noneOf[field])) lower.push('');
      conditions.set(parameter, { ...dimension, field, values: lower });
    }
  }
  return [...conditions.values()];
}

/** Selects the visits that match all conditions. */
export function filterVisits(
  visits: VisitColumns,
  conditions: readonly Condition[] = [],
): VisitColumns {
  if (conditions.length === 0) return visits;
  const filters = conditions.map((condition) => {
    const { values, codes } = visits.dictionaries[condition.column] as DictionaryColumn;
    const wanted = new Set(condition.values);
    const matches = values.map((value) =>
      wanted.has(splitFields(condition, value.toLowerCase())[condition.field] as string),
    );
    return { codes, matches };
  });
  return selectVisits(visits, (index) =>
    filters.every(({ codes, matches }) => matches[codes[index] as number]),
  );
}
