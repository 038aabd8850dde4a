export {
  type CellOptions,
  type CellValue,
  guardFormula,
  quoteCell,
  unguardFormula,
} from './cell-values.js';
export { findItemError } from './check-item.js';
export type { Column, NotKept } from './column.js';
export {
  type ColumnOptions,
  type ColumnPlan,
  errorColumn,
  findColumn,
  isKnownColumn,
  planColumns,
  planPositions,
} from './column-plan.js';
export { formatCsvFile } from './csv-file.js';
export { formatCsvLine } from './csv-line.js';
export { withDomainIds } from './domain-ids.js';
export { FileError } from './file-error.js';
export { nearestName } from './generated/nearest-name.js';
export type { LinkRules } from './imported-link.js';
export { parseEnd, parseTime, toIsoDate } from './instant-cell.js';
export { isJson, jsonToCsv } from './json-export.js';
export {
  findLinkSource,
  type LinkSource,
  type LinkSourceName,
  linkSources,
} from './link-sources.js';
export { type BulkResult, matchResults, type RowResult } from './match-results.js';
export { parseUrl, proposeUrl } from './parse-url.js';
export { type ImportChunk, type ImportRow, planChunks } from './plan-chunks.js';
export { type CsvRow, delimiterName } from './read-csv.js';
export { readRows, type TextRows, type TextSource, withoutFirst } from './read-rows.js';
export { detectEncoding, refuseBinary } from './text-format.js';
export {
  clearableFields,
  createFields,
  type FieldSet,
  linkKeys,
  updateFields,
} from './url-fields.js';
