import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { formatCount } from '../../format.js';
import { checkId } from '../../import/id-list.js';
import { inPages } from '../../in-pages.js';

const maxItems = 100;

interface Deletion {
  readonly id: string;
  readonly status: 'deleted' | 'skipped';
}

/** Deactivates links by the hundred. Ids that are unknown to the server are told and counted. */
export async function deleteUrls(
  context: Context,
  ids: Iterable<string> | AsyncIterable<string>,
): Promise<ExitCode> {
  const { io, output } = context;
  const client = await context.client();
  let deleted = 0;
  let skipped = 0;
  const outcomes = async function* (): AsyncGenerator<readonly Deletion[]> {
    for await (const page of inPages(ids, maxItems)) {
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

/** Ids from the command line, all of them checked; commas separate them too. */
export function parseIds(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).map((text) => checkId(text.trim()));
}
