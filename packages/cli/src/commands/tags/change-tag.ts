import { NotFoundError, type TagChangeResult } from '@shorty/sdk';

/**
 * Repeats a request until no link with the tag remains. Returns the number of changed links. Rejects
 * with NotFoundError if no link had the tag.
 */
export async function changeTag(send: () => PromiseLike<TagChangeResult>): Promise<number> {
  let count = 0;
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      const { updatedCount, isComplete } = await send();
      count += updatedCount;
      if (isComplete) return count;
    } catch (error) {
      // Another client has changed the remaining links.
      if (isRepeated && error instanceof NotFoundError) return count;
      throw error;
    }
  }
}
