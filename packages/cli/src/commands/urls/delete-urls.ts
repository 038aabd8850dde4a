import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { formatCount } from '../../format.js';
import { groupIntoPages } from '../../group-into-pages.js';
import { checkId } from '../../import/id-list.js';

const maxItems = 100;

interface Deletion {
  readonly id: string;
  readonly status: 'deleted' | 'skipped';
}

/** Deactivates links, 100 per request. Reports and counts ids that the server does not know. */
export async function deleteUrls(
  context: Context,
  ids: Iterable<string> | AsyncIterable<string>,
): Promise<ExitCode> {
  const { io, output } = context;
  const client = await context.client();
  let deleted = 0;
  let skipped = 0;
  const outcomes = async function* (): AsyncGenerator<readonly Deletion[]> {
    for await (const page of groupIntoPages(ids, maxItems)) {
      const result = await client.urls.bulkDelete([...page], { signal: io.interrupt });
      deleted += result.deletedCount;
      skipped += result.skippedCount;
      yield [
        ...result.deletedIds.map((id): Deletion => ({ id, status: 'deleted' })),
        ...result.skippedIds.map((id): Deletion => ({ id, status: 'skipped' })),
      ];
    }
  };
  await output.list(outcomes(), [
    { name: 'id', value: (item) => item.id },
    { name: 'status', value: (item) => item.status },
  ]);
  if (skipped > 0) {
    output.warn(`shorty: ${formatCount(skipped, 'id')} skipped: no such link in this organization`);
  }
  output.note(`${formatCount(deleted, 'link')} deactivated`);
  if (skipped === 0) return exitCodes.done;
  return deleted > 0 ? exitCodes.partlyDone : exitCodes.failed;
}

/** Parses and validates ids from the command line. Commas can separate ids. */
export function parseIds(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).map((text) => checkId(text.trim()));
}
