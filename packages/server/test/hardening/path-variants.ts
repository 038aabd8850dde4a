/**
 * Returns paths that differ from `path` and that some parsers treat as equal to it: by slashes, dots,
 * case, percent-encoding, parameters, backslashes and fragments.
 */
export function pathVariants(path: string): readonly string[] {
  const encode = (letter: string) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`;
  const allLetters = [...path.matchAll(/[a-z]/gi)].map(({ index }) => index);
  // The first, one in the middle, and the last.
  const letters = [0, allLetters.length >> 1, allLetters.length - 1].map(
    (at) => allLetters[at] ?? 1,
  );
  const encodedAt = (index: number, encoded = encode) =>
    path.slice(0, index) + encoded(path[index] as string) + path.slice(index + 1);
  const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
  const slashAs = (index: number, text: string) =>
    path.slice(0, index) + text + path.slice(index + 1);
  const inner = slashes.slice(1);
  const [first = 1] = letters;
  // Backslashes and fragments are not allowed by RFC 9112.
  const ends = [
    ...['/', '//', '/.', '/x/..', '..;/', '.', ';', ';a=b', '\\', '\\#', '#', '#/x', '?#'],
    ...['%2f', '%00', '%20', '%09', '%0a', '%3f', '%23', '%'],
  ];
  const dots = ['.', '%2e', '%2E', 'x/..', 'x/%2e%2e', 'x/%2E.', 'x/.%2e', 'x%2f..', '..'];
  const starts = ['//', ...[...dots, '%2e%2e', '..;', ';'].map((segment) => `/${segment}`)];
  const betweenSegments = ['/./', '/x/../', '/%2e/', '%2F', ';/', '\\'];
  return [
    ...ends.map((end) => path + end),
    ...starts.map((start) => start + path),
    ...slashes.map((index) => slashAs(index, '//')),
    ...betweenSegments.flatMap((text) => inner.map((index) => slashAs(index, text))),
    // Percent-encoding.
    ...letters.map((index) => encodedAt(index)),
    ...letters.map((index) => encodedAt(index, (letter) => encode(letter).toUpperCase())),
    encodedAt(first, (letter) => encode(letter).replace('%', '%25')),
    path.replace(/[a-z]/gi, encode),
    ...slashes.map((index) => slashAs(index, index === 0 ? '/%2f' : '%2f')),
    // Case.
    path.toUpperCase(),
    `${path.slice(0, first)}${path[first]?.toUpperCase()}${path.slice(first + 1)}`,
    `/\\${path.slice(1)}`,
    `/\\${path.slice(1)}#`,
    ...inner.map((index) => `${slashAs(index, '\\')}#`),
    ...inner.map((index) => `${slashAs(index, '\\')}?domain=sho.example#`),
    `/x/..\\${path.slice(1)}#`,
  ];
}

/** Returns the variants as absolute targets, which some parsers read differently. */
export function absoluteVariants(path: string, origin: string): readonly string[] {
  return [
    ...pathVariants(path).map((variant) => origin + variant),
    `${origin.toUpperCase()}/.${path}`,
    `${origin}\\${path.slice(1)}`,
    `${origin}/x\\..${path}`,
  ];
}
