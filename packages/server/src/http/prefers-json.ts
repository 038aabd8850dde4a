import { parseAccept } from '../parse-accept.js';

/** Returns whether a client accepts JSON and does not prefer HTML, as programs do. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = parseAccept(accept);
  const qualityOf = (mediaType: string) =>
    ranges.find(({ range }) => range === mediaType)?.quality ?? 0;
  const json = qualityOf('application/json');
  return json > 0 && json >= qualityOf('text/html');
}
