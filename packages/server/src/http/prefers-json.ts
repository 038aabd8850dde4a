/** Returns whether a client accepts JSON and does not prefer HTML, as programs do. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const json = qualityOf(accept, 'application/json');
  return json > 0 && json >= qualityOf(accept, 'text/html');
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
