import { readWithOthers } from '../../server/test/qr/other-decoders.js';

const pixelsOfModule = 4;

/** Returns the light (true) and dark modules as a terminal with 256 colors shows them. */
function modulesOf(text: string): boolean[][] {
  const rows: boolean[][] = [];
  for (const line of text.split('\n')) {
    const upper: boolean[] = [];
    const lower: boolean[] = [];
    // Without colors, a block is light.
    let [front, back] = [true, false];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it parses the color sequences.
    for (const [, color, char] of line.matchAll(/\u001b\[([\d;]+)m|(.)/gu)) {
      if (color !== undefined) {
        const [, ink, paper] = /^38;5;(\d+);48;5;(\d+)$/.exec(color) ?? [];
        [front, back] = ink === undefined ? [true, false] : [ink === '231', paper === '231'];
      } else {
        upper.push(char === '█' || char === '▀' ? front : back);
        lower.push(char === '█' || char === '▄' ? front : back);
      }
    }
    rows.push(upper, lower);
  }
  return rows;
}

/** Returns the results of two decoders. */
export async function readTerminal(text: string) {
  const rows = modulesOf(text);
  const width = Math.max(...rows.map((row) => row.length));
  const dark = rows.flatMap((row, y) =>
    row.flatMap((isLight, x) =>
      isLight ? [] : [`<rect x="${x}" y="${y}" width="1" height="1"/>`],
    ),
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${rows.length}" width="${width * pixelsOfModule}" height="${rows.length * pixelsOfModule}" shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/>${dark.join('')}</svg>`;
  const { zbar, qr } = await readWithOthers(Buffer.from(svg));
  return { width, zbar: zbar?.toString(), qr: qr?.toString() };
}
