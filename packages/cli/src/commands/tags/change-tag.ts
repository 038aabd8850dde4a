import type { TagChangeResult } from '@shorty/sdk';

/** Repeats a request until no link with the tag remains. Returns the number of changed links. */
export async function changeTag(send: () => PromiseLike<TagChangeResult>): Promise<number> {
  let count = 0;
  for (;;) {
    const { updatedCount, isComplete } = await send();
    count += updatedCount;
    if (isComplete) return count;
  }
}
