import { NotFoundError } from '@shorty/sdk';
import { groupIntoPages } from './group-into-pages.js';

// Concurrent requests. Low enough to leave the server capacity for other clients.
const concurrency = 8;

/** Reads items concurrently, in the order of their ids. Undefined stands for an unknown id. */
export async function* findEach<T>(
  ids: readonly string[],
  find: (id: string) => PromiseLike<T>,
): AsyncGenerator<readonly { readonly id: string; readonly item: T | undefined }[]> {
  for await (const page of groupIntoPages(ids, concurrency)) {
    yield await Promise.all(
      page.map(async (id) => ({ id, item: await findOrUndefined(find, id) })),
    );
  }
}

/** Returns undefined if the server does not know the id. */
export async function findOrUndefined<T>(
  find: (id: string) => PromiseLike<T>,
  id: string,
): Promise<T | undefined> {
  try {
    return await find(id);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
