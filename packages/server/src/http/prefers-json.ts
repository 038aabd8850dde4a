// Browsers send about 150 characters. Tens of thousands of ranges would block the event loop.
const maxAcceptLength = 1_024;

/**
 * Returns whether a client accepts JSON and does not prefer HTML, as programs do. Reads only the first
 * 1,024 characters of the header.
 */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const start = accept.slice(0, maxAcceptLength);
  const json = qualityOf(start, 'application/json');
  return json > 0 && json >= qualityOf(start, 'text/html');
}

function qualityOf(accept: string, mediaType: string): number {
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name !== mediaType) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return 0;
}
