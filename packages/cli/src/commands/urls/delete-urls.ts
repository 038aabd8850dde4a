import type { Context } from '../../context.js';
import type { ExitCode } from '../../exit-codes.js';
import { groupIntoPages } from '../../group-into-pages.js';
import { type Change, type ChangeOptions, changeItems, oneByOne } from '../change-command.js';

const maxItems = 100;
// The longest Retry-After that a deletion waits for. A rate limit lasts up to a minute.
const maxRetryDelayMs = 65_000;

/** Deletes links, 100 per request. `names` are what the user calls them. */
export async function deleteUrls(
  context: Context,
  ids: readonly string[],
  options: ChangeOptions,
  names: ReadonlyMap<string, string> = new Map(),
): Promise<ExitCode> {
  const { request } = context;
  const { ifMatch } = options;
  const { urls } = await context.client({ maxRetryDelayMs });
  const change = async function* (all: readonly string[]): AsyncGenerator<readonly Change[]> {
    if (ifMatch !== undefined) {
      yield* oneByOne(all, (id) => urls.delete(id, { ...request, ifMatch }));
      return;
    }
    for await (const page of groupIntoPages(all, maxItems)) {
      const { deletedIds, skippedIds } = await urls.bulkDelete([...page], request);
      yield [
        ...deletedIds.map((id) => ({ id, isSkipped: false })),
        ...skippedIds.map((id) => ({ id, isSkipped: true })),
      ];
    }
  };
  const find = (id: string) => urls.get(id, request);
  const changer = { noun: 'link', verb: 'Delete', find, change, names } as const;
  return changeItems(context, [...new Set(ids)], changer, options);
}
