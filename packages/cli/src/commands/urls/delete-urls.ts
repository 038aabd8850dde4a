import type { ExitCode } from '../../cli-error.js';
import type { Context } from '../../context.js';
import { groupIntoPages } from '../../read-pages.js';
import type { Named } from '../../records.js';
import { type Change, type ChangeOptions, changeItems } from '../change-command.js';

const maxItems = 100;
// The longest Retry-After that a deletion waits for. A rate limit lasts up to a minute.
const maxRetryDelayMs = 65_000;

/** Deletes links, 100 per request. */
export async function deleteUrls(
  context: Context,
  names: readonly Named[],
  options: ChangeOptions,
): Promise<ExitCode> {
  const { urls } = await context.client({ maxRetryDelayMs });
  const change = async function* (all: readonly string[]): AsyncGenerator<readonly Change[]> {
    for await (const page of groupIntoPages(all, maxItems)) {
      const { deletedIds, skippedIds } = await urls.bulkDelete([...page], context.request);
      yield [
        ...deletedIds.map((id) => ({ id, isSkipped: false })),
        ...skippedIds.map((id) => ({ id, isSkipped: true })),
      ];
    }
  };
  return changeItems(context, names, { noun: 'link', verb: 'Delete', change }, options);
}
