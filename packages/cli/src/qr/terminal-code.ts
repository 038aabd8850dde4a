import { displayWidth } from '@shorty/report';
import { type QRCodeErrorCorrectionLevel, toString as render } from 'qrcode';
import type { Context } from '../context.js';
import { isRichTerminal, terminalColumns } from '../io.js';

/**
 * Renders a QR code as text with two rows of modules per line, without style and logo. Each line resets
 * its colors.
 */
export async function terminalCode(
  payload: string,
  level: QRCodeErrorCorrectionLevel,
  hasColor: boolean,
): Promise<string> {
  // Without colors, blocks are the light modules, which is correct on a dark terminal. On a light
  // terminal the code is inverted, which most phones can read.
  const color = hasColor ? {} : { dark: '#ffffff', light: '#000000' };
  const code = await render(payload, { type: 'utf8', errorCorrectionLevel: level, color });
  if (!hasColor) return code;
  // Palette colors that themes do not change, because a QR code must be dark on light.
  const lines = code.split('\n').map((line) => `\u001b[38;5;16;48;5;231m${line}\u001b[39;49m`);
  return lines.join('\n');
}

/** Draws a QR code on stderr, because programs that read stdout expect data. */
export async function drawQr(
  { io, output }: Context,
  text: string,
  level: QRCodeErrorCorrectionLevel = 'M',
): Promise<void> {
  const hasColor = output.allowsColor && isRichTerminal(io.stderr, io.env);
  const code = await terminalCode(text, level, hasColor);
  const width = displayWidth(code.split('\n', 1)[0] ?? '');
  if (width > terminalColumns(io.stderr)) output.note('the QR code is wider than this terminal');
  else io.stderr.write(`${code}\n`);
}
