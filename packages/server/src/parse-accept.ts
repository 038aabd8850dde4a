// Browsers send about 150 characters. Tens of thousands of ranges would block the event loop.
const maxLength = 1_024;

interface AcceptRange {
  /** A media type or a language, in lower case. */
  readonly range: string;
  readonly quality: number;
}

/** Parses `Accept` or `Accept-Language`. Reads only the first 1,024 characters of the header. */
export function parseAccept(header = ''): AcceptRange[] {
  const parts = header.slice(0, maxLength).split(',');
  return parts.map((part) => {
    const [range = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return { range, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
  });
}

/** Returns whether a client accepts JSON and does not prefer HTML, as programs do. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = parseAccept(accept);
  const qualityOf = (mediaType: string) =>
    ranges.find(({ range }) => range === mediaType)?.quality ?? 0;
  const json = qualityOf('application/json');
  return json > 0 && json >= qualityOf('text/html');
}
