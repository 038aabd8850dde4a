import { type LinkOrigins, shortUrlOf } from './present-url.js';
import { clicksLeftOf, isLive, type ShortUrl } from './short-url.js';

type Cell = string | number | boolean | null;
type Column = (url: ShortUrl, origins: LinkOrigins, now: number) => Cell;

/**
 * The columns of an exported file: the fields of POST /api/v1/urls, then those that the server sets.
 * Texts that users choose are escaped.
 */
const columns: Readonly<Record<string, Column>> = {
  targetUrl: ({ targetUrl }) => escapeCell(targetUrl),
  customSlug: ({ customSlug }) => customSlug,
  externalId: ({ externalId }) => escapeText(externalId),
  title: ({ title }) => escapeText(title),
  description: ({ description }) => escapeText(description),
  category: ({ category }) => escapeText(category),
  tags: ({ tags }) => (tags.length === 0 ? null : escapeCell(formatTags(tags))),
  domainId: ({ domainId }) => domainId,
  redirectType: ({ redirectType }) => redirectType,
  activatesAt: ({ activatesAt }) => toTime(activatesAt),
  expiresAt: ({ expiresAt }) => toTime(expiresAt),
  expiredUrl: ({ expiredUrl }) => escapeText(expiredUrl),
  maxClicks: ({ maxClicks }) => maxClicks,
  isPasswordProtected: ({ passwordHash }) => passwordHash !== null,
  utmSource: ({ utmSource }) => escapeText(utmSource),
  utmMedium: ({ utmMedium }) => escapeText(utmMedium),
  utmCampaign: ({ utmCampaign }) => escapeText(utmCampaign),
  utmTerm: ({ utmTerm }) => escapeText(utmTerm),
  utmContent: ({ utmContent }) => escapeText(utmContent),
  customUtmParams: ({ customUtmParams }) => {
    const text = JSON.stringify(customUtmParams);
    return text === '{}' ? null : escapeCell(text);
  },
  sourceDomain: ({ sourceDomain }) => escapeText(sourceDomain),
  clickThresholds: ({ clickThresholds }) => clickThresholds?.join('|') ?? null,
  forwardQuery: ({ forwardQuery }) => forwardQuery,
  forwardPath: ({ forwardPath }) => forwardPath,
  rules: ({ rules }) => (rules.length === 0 ? null : escapeCell(JSON.stringify(rules))),
  preview: ({ preview }) => (preview === null ? null : escapeCell(JSON.stringify(preview))),
  isActive: (url, _, now) => isLive(url, now),
  importedClicks: ({ importedClicks }) => importedClicks,
  id: ({ id }) => id,
  shortCode: ({ shortCode }) => escapeCell(shortCode),
  shortUrl: (url, origins) => shortUrlOf(origins, url),
  organizationId: ({ organizationId }) => organizationId,
  deletedAt: ({ deletedAt }) => toTime(deletedAt),
  clickCount: ({ clickCount }) => clickCount,
  excludedClicks: ({ excludedClicks }) => excludedClicks,
  clicksLeft: (url) => clicksLeftOf(url),
  lastClickAt: ({ lastClickAt }) => toTime(lastClickAt),
  takenDown: ({ takenDownAt }) => toTime(takenDownAt),
  createdAt: ({ createdAt }) => toTime(createdAt),
  updatedAt: ({ updatedAt }) => toTime(updatedAt),
};

const cellsOf = Object.values(columns);

/** The first line of an exported file. */
export const csvHeader = `${Object.keys(columns).join()}\n`;

/** Returns the line of a link in an exported file (RFC 4180, with a line feed at the end). */
export function toCsvLine(url: ShortUrl, origins: LinkOrigins, now: number): string {
  // An empty cell is null, which `join` writes as an empty text.
  return `${cellsOf.map((cell) => cell(url, origins, now)).join()}\n`;
}

let lastTime = { at: 0, text: new Date(0).toISOString() };

/** Returns an ISO time. Links that were created together have the same one, which takes 0.3 µs. */
function toTime(at: number | null): string | null {
  if (at === null) return null;
  if (at !== lastTime.at) lastTime = { at, text: new Date(at).toISOString() };
  return lastTime.text;
}

// Quotes, separators and spaces at an end, and what a spreadsheet takes for the start of a formula.
const special = /[",\r\n]|^[\s'=+\-@]|\s$/;
const formula = /^'*[=+\-@\t\r]/;

function escapeText(text: string | null): string | null {
  return text === null ? null : escapeCell(text);
}

/**
 * Returns a text as a cell. An apostrophe precedes a text that a spreadsheet would evaluate as a formula;
 * an import removes it.
 */
function escapeCell(text: string): string {
  if (!special.test(text)) return text;
  const cell = formula.test(text) ? `'${text}` : text;
  const needsQuotes = /[",\r\n]/.test(cell) || cell !== cell.trim();
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Returns tags as `a|b`, or as JSON if a tag would be split or trimmed. */
function formatTags(tags: readonly string[]): string {
  const isPlain = tags.every(
    (tag) => tag !== '' && !tag.includes('|') && tag === tag.trim() && !tag.startsWith('['),
  );
  return isPlain ? tags.join('|') : JSON.stringify(tags);
}
