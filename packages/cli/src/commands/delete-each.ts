import { NotFoundError } from '@shorty/sdk';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { formatCount } from '../format.js';

interface Deletion {
  readonly id: string;
  readonly status: 'deleted' | 'skipped';
}

/** Deletes items one by one. Reports and counts ids that the server does not know. */
export async function deleteEach(
  { output }: Context,
  { noun, ids }: { readonly noun: string; readonly ids: readonly string[] },
  remove: (id: string) => PromiseLike<unknown>,
): Promise<ExitCode> {
  let deleted = 0;
  const outcomes = async function* (): AsyncGenerator<readonly Deletion[]> {
    for (const id of ids) {
      const status = await remove(id).then(
        () => 'deleted' as const,
        (error: unknown) => {
          if (error instanceof NotFoundError) return 'skipped' as const;
          throw error;
        },
      );
      if (status === 'deleted') deleted += 1;
      yield [{ id, status }];
    }
  };
  await output.list(outcomes(), [
    { name: 'id', value: (item) => item.id },
    { name: 'status', value: (item) => item.status },
  ]);
  const skipped = ids.length - deleted;
  if (skipped > 0) {
    output.warn(
      `shorty: ${formatCount(skipped, 'id')} skipped: no such ${noun} in this organization`,
    );
  }
  output.note(`${formatCount(deleted, noun)} deleted`);
  if (skipped === 0) return exitCodes.done;
  return deleted > 0 ? exitCodes.partlyDone : exitCodes.failed;
}
