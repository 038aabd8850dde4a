import type { Layout } from './layout.js';
import type { QrDesign } from './qr-design.js';
import type { QrMatrix } from './qr-matrix.js';
import { boxPath, type RoundedBox } from './rounded-box.js';
import {
  eachStyledModule,
  finderCorners,
  moduleBox,
  type Style,
  styleOf,
} from './style-presets.js';

/** Returns an SVG: one path for a solid background, one for all dark modules, and the logo. */
export function svgImage(design: QrDesign, layout: Layout): string {
  const { matrix } = layout;
  const { size, module, offset } = layout.grid;
  const style = styleOf(design.stylePreset, layout.grid);
  const path = style ? styledPath(matrix, style) : squarePath(matrix);
  // Keeps squares sharp when the image is scaled. Curves need antialiasing.
  const crisp = style ? '' : ' shape-rendering="crispEdges"';
  // Cuts the hole out of a finder pattern.
  const fillRule = style ? ' fill-rule="evenodd"' : '';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}"${crisp}>` +
    `${design.background === 'solid' ? `<path fill="${design.backgroundColor}" d="M0 0h${size}v${size}H0z"/>` : ''}` +
    `<path fill="${design.foregroundColor}"${fillRule} transform="translate(${offset} ${offset})scale(${module})" d="${path}"/>` +
    `${logoImage(design, layout)}</svg>\n`
  );
}

function squarePath({ side, dark }: QrMatrix): string {
  let path = '';
  for (let y = 0; y < side; y += 1) {
    const row = y * side;
    for (let x = 0; x < side; x += 1) {
      if (!dark[row + x]) continue;
      const start = x;
      while (x < side && dark[row + x]) x += 1;
      path += `M${start} ${y}h${x - start}v1H${start}z`;
    }
  }
  return path;
}

function styledPath(matrix: QrMatrix, style: Style): string {
  const { outer, hole, pupil } = style.finder;
  let path = '';
  const addAt = (x: number, y: number, box: RoundedBox) => {
    path += boxPath({ ...box, left: box.left + x, top: box.top + y });
  };
  for (const [x, y] of finderCorners(matrix)) {
    for (const box of [outer, hole, pupil]) addAt(x, y, box);
  }
  eachStyledModule(matrix, style, (x, y, rounded) => addAt(x, y, moduleBox(rounded)));
  return path;
}

function logoImage({ logo }: QrDesign, { logoBox }: Layout): string {
  if (!logo || !logoBox) return '';
  const { left, top, width, height } = logoBox;
  const png = Buffer.from(logo.png.buffer, logo.png.byteOffset, logo.png.byteLength);
  return `<image x="${left}" y="${top}" width="${width}" height="${height}" preserveAspectRatio="none" href="data:image/png;base64,${png.toString('base64')}"/>`;
}
