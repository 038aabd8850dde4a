export {
  type CellOptions,
  type CellValue,
  guardFormula,
  quoteCell,
  unguardFormula,
} from './cell-values.js';
export { findItemError } from './check-item.js';
export type { NotKept } from './column.js';
export {
  type ColumnOptions,
  type ColumnPlan,
  errorColumn,
  isKnownColumn,
  planColumns,
  planPositions,
} from './column-plan.js';
export { formatCsvLine } from './csv-line.js';
export { FileError } from './file-error.js';
export type { LinkRules } from './imported-link.js';
export { parseEnd, parseTime } from './instant-cell.js';
export { isJson, jsonToCsv } from './json-export.js';
export { type LinkSource, type LinkSourceName, linkSources } from './link-sources.js';
export { nearestName } from './nearest-name.js';
export { parseUrl, proposeUrl } from './parse-url.js';
export { type ImportChunk, type ImportRow, planChunks } from './plan-chunks.js';
export {
  type CsvRow,
  delimiterName,
  detectDelimiter,
  parseDelimiter,
  readCsv,
} from './read-csv.js';
export { clearableFields, createFields, type FieldSet, updateFields } from './url-fields.js';
