/** Splits items into arrays of `size`; the last one may be shorter. */
export async function* inChunks<T>(
  items: Iterable<T> | AsyncIterable<T>,
  size: number,
): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
