import { quoteCell } from './cell-values.js';
import type { NotKept } from './column.js';
import { parseUrl } from './parse-url.js';

/** How the links of another shortener are created. */
export interface LinkRules {
  /** The ids of custom domains by the host of the short URLs that move there. */
  readonly domains: ReadonlyMap<string, string>;
  /** False to let the server choose new short codes. */
  readonly keepsCodes: boolean;
  /** A link that expired before this time is created paused, because the server rejects its expiry. */
  readonly now: number;
}

/** The cells of a row that are not fields of a new link. */
export interface ForeignCells {
  shortUrl?: string | undefined;
  customShortUrl?: string | undefined;
  domain?: string | undefined;
  isPaused?: boolean;
  isLocked?: boolean | undefined;
  readonly notKept: NotKept[];
}

/** The request item of a row, or the error of the row. */
export type ConvertedRow =
  | {
      readonly item: Record<string, unknown>;
      /** The host of the link's old short URL. */
      readonly host?: string | undefined;
      /** Why the link is created paused, although it was not paused. */
      readonly note?: string | undefined;
      readonly notKept?: readonly NotKept[] | undefined;
      readonly error?: undefined;
    }
  | { readonly error: string };

/** Returns the link to create for a link of another shortener. */
export function toImportedLink(
  fields: Readonly<Record<string, unknown>>,
  cells: ForeignCells,
  { domains, keepsCodes, now }: LinkRules,
): ConvertedRow {
  const shortUrl = cells.customShortUrl ?? cells.shortUrl;
  const url = shortUrl === undefined ? undefined : parseShortUrl(shortUrl);
  if (shortUrl !== undefined && !url) {
    return { error: `the short URL ${quoteCell(shortUrl)} is not a URL` };
  }
  const item: Record<string, unknown> = { ...fields };
  const importedCode = fields.importedCode ?? (url && codeOf(url));
  delete item.importedCode;
  if (importedCode && keepsCodes) item.importedCode = importedCode;
  const createdAt = Date.parse(String(item.importedCreatedAt));
  // The clock of the other service, or its time zone, was wrong.
  if (createdAt < 0 || createdAt > now) delete item.importedCreatedAt;
  const host = url?.host ?? cells.domain?.toLowerCase();
  const domainId = host === undefined ? undefined : domains.get(host);
  if (domainId !== undefined) item.domainId = domainId;
  if (cells.isPaused) item.isActive = false;
  const notes: string[] = [];
  if (typeof item.expiresAt === 'string' && Date.parse(item.expiresAt) <= now) {
    notes.push(`expired on ${item.expiresAt}`);
    delete item.expiresAt;
  }
  if (cells.isLocked) notes.push('has a password, which the file does not contain');
  const notKept = [...cells.notKept];
  const { maxClicks, importedClicks } = item;
  if (typeof maxClicks === 'number' && typeof importedClicks === 'number') {
    // Shorty does not count imported clicks.
    item.maxClicks = maxClicks - importedClicks;
    if (importedClicks >= maxClicks) {
      notes.push(`had ${importedClicks} clicks of at most ${maxClicks}`);
      delete item.maxClicks;
    }
  } else if (maxClicks !== undefined) {
    const reason = `the file has no clicks, so the link redirects ${maxClicks} more`;
    notKept.push({ setting: 'maxClicks', reason });
  }
  if (notes.length > 0) {
    item.isActive = false;
    if (item.expiredUrl !== undefined) {
      notKept.push({ setting: 'expiredUrl', reason: 'a paused link does not lead there' });
    }
  }
  const note = notes.length > 0 ? `${notes.join(' and ')}; created paused` : undefined;
  return { item, host, note, ...(notKept.length > 0 && { notKept }) };
}

function parseShortUrl(text: string): URL | undefined {
  return parseUrl(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
}

function codeOf({ pathname }: URL): string {
  const path = pathname.replace(/^\/|\/$/g, '');
  try {
    return decodeURIComponent(path);
  } catch {
    // Not percent-encoded. The server reports that it is no code.
    return path;
  }
}
