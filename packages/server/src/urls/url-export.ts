import type { JsonText } from '../contract/json-text.js';
import type { LinePage } from '../storage/list-page.js';
import { toRecord, type UrlPresentation } from './present-url.js';
import type { ShortUrl } from './short-url.js';
import { csvHeader, toCsvLine } from './url-csv.js';
import type { UrlExportFormat } from './url-list-contract.js';

/** The form of the links in an export. */
export interface UrlExportPresentation extends Omit<UrlPresentation, 'view'> {
  readonly format: UrlExportFormat;
}

/** One page of an export. */
export interface ExportPage extends Omit<LinePage, 'text'> {
  readonly text: JsonText<string>;
}

/** Returns the function that writes the line of a link. */
export function exportLineOf({ format, origins, now }: UrlExportPresentation) {
  if (format === 'csv') return (url: ShortUrl) => toCsvLine(url, origins, now);
  return (url: ShortUrl) => `${JSON.stringify(toRecord(origins, url, now))}\n`;
}

/** Returns the text before the first link of a file. */
export function exportHeaderOf({ format }: UrlExportPresentation): string {
  return format === 'csv' ? csvHeader : '';
}
