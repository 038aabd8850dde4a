/** Groups items as they come, so that they can be handled many at a time. */
export async function* inPages<T>(
  items: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<readonly T[]> {
  let page: T[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
