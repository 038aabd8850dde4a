import { quoteCell } from '@shorty/import';
import { formatCount } from '@shorty/report';
import type { Shorty, UrlRecord, WithResponse } from '@shorty/sdk';
import { CliError, UsageError } from './cli-error.js';
import { findOrUndefined } from './find-each.js';

interface Request {
  readonly signal: AbortSignal;
}

const idPattern = /^[1-9]\d{0,15}$/;

/** Finds a link by its id, short URL, custom slug or short code. The response has its ETag. */
export async function findLink(
  client: Shorty,
  text: string,
  request: Request,
): Promise<WithResponse<UrlRecord>> {
  // A slug may consist of digits, too.
  const link = idPattern.test(text)
    ? await findOrUndefined((id) => client.urls.get(id, request).withResponse(), text)
    : undefined;
  return link ?? lookUp(client, text, request);
}

/** Returns the id of a link. A number is an id, and the link is not read. */
export async function findLinkId(client: Shorty, text: string, request: Request): Promise<string> {
  return idPattern.test(text) ? text : (await lookUp(client, text, request)).data.id;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the id of a QR code that a user names by its id, or by a link that has no other one. */
export async function findQrId(client: Shorty, text: string, request: Request): Promise<string> {
  if (uuid.test(text)) return text;
  const urlId = await findLinkId(client, text, request);
  const { items, total } = await client.qr.list({ urlId, limit: 10 }, request);
  const [code] = items;
  if (code && total === 1) return code.id;
  throw new CliError(`the link ${text} has ${formatCount(total, 'QR code')}`, {
    hint: code
      ? `name one: ${items.map(({ id, format }) => `${id} (${format})`).join(', ')}`
      : `create one with: shorty qr create ${text}`,
  });
}

/**
 * Returns the links that arguments of a command name: what the user calls them, by their ids. An argument
 * may name several, separated by commas. Finds all of them before the command changes one.
 */
export async function findLinkIds(
  client: Shorty,
  texts: readonly string[],
  request: Request,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const text of texts.flatMap((each) => each.split(','))) {
    names.set(await findLinkId(client, text.trim(), request), text.trim());
  }
  return names;
}

async function lookUp(
  client: Shorty,
  text: string,
  request: Request,
): Promise<WithResponse<UrlRecord>> {
  if (!/\/|^[A-Za-z0-9._~-]{1,100}$/.test(text)) {
    const next = 'give its id, short URL, slug or short code';
    throw new UsageError(`${quoteCell(text)} is not a link`, next);
  }
  return client.urls.lookup(text, request).withResponse();
}
