import { ApiError, notFound, shorten, validationError } from '../contract/api-error.js';
import type { PageRange } from '../contract/fields.js';
import type { PageText } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import type { Clock } from '../ports.js';
import { operatorOwner } from '../storage/database.js';
import type { FindUrlId } from './key-finder.js';
import type { LinkOrigins } from './link-origins.js';
import { notShortUrlMessage, parseShortUrl } from './parse-short-url.js';
import { type TakedownRecord, toTakedownRecord } from './present-takedown.js';
import type { takedownRoutes } from './takedown-contract.js';
import type { TakedownRepository } from './takedown-repository.js';

export interface TakedownHandlerOptions {
  readonly takedowns: TakedownRepository;
  readonly findUrlId: FindUrlId;
  readonly listTakedowns: (
    owner: string,
    range: PageRange,
    origins: LinkOrigins,
  ) => Promise<PageText<TakedownRecord>>;
  readonly origins: () => LinkOrigins;
  readonly clock: Clock;
  /** Called after a change of a link, before the response. */
  readonly onChanged: (ids: readonly number[]) => void;
}

/** Takes links down, for the operator. */
export function takedownHandlers({
  takedowns,
  findUrlId,
  listTakedowns,
  origins,
  clock,
  onChanged,
}: TakedownHandlerOptions): HandlersOf<typeof takedownRoutes> {
  /** Returns the id of the link of a short URL. Throws VALIDATION_FAILED or NOT_FOUND. */
  async function getUrlId(shortUrl: string) {
    const names = parseShortUrl(shortUrl);
    if (names.length === 0) {
      throw validationError([{ path: 'shortUrl', message: notShortUrlMessage(shortUrl) }]);
    }
    const id = await findUrlId(names);
    if (id === undefined) throw noLink(shortUrl);
    return id;
  }

  const list = { name: 'takedowns', organizationId: operatorOwner, ids: 'integer' } as const;

  return {
    async takeDownUrl({ body: { shortUrl, reason }, write }) {
      const id = await getUrlId(shortUrl);
      const { result: url, replayed } = await takedowns.takeDown(id, reason, clock(), write);
      if (!url) throw noLink(shortUrl, replayed);
      onChanged([url.id]);
      return { status: 201, replayed, data: toTakedownRecord(origins(), url) };
    },

    async listTakedowns({ query }) {
      const { filter, reply } = openPage(list, query);
      return reply(await listTakedowns(operatorOwner, filter, origins()));
    },

    async undoTakedown({ params: { id }, write }) {
      const { result: url, replayed } = await takedowns.undo(id, clock(), write);
      if (!url) throw notFound('takedown', id, replayed);
      onChanged([url.id]);
      return { status: 200, replayed, data: toTakedownRecord(origins(), url) };
    },
  };
}

function noLink(shortUrl: string, replayed = false): ApiError {
  return new ApiError('NOT_FOUND', `There is no link ${JSON.stringify(shorten(shortUrl))}`, {
    replayed,
  });
}
