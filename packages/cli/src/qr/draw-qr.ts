import type { QRCodeErrorCorrectionLevel } from 'qrcode';
import type { Context } from '../context.js';
import { terminalColumns } from '../io.js';

/** Draws a QR code on stderr, because programs that read stdout expect data. */
export async function drawQr(
  { io, output }: Context,
  text: string,
  level: QRCodeErrorCorrectionLevel = 'M',
): Promise<void> {
  const { terminalCode } = await import('./terminal-code.js');
  const columns = terminalColumns(io.stderr);
  const code = terminalCode(text, { level, hasColor: output.allowsColor, columns });
  if (code === undefined) output.note('the QR code is wider than this terminal');
  else io.stderr.write(`${code}\n`);
}
