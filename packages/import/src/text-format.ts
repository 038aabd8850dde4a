/** A file that cannot be imported as it is, with the next step. */
export class FileError extends Error {
  override readonly name = 'FileError';

  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

const saveAsCsv = 'save it as CSV';

/** Formats that people take for CSV, by their first bytes. */
const binaryFormats = [
  {
    signature: [0x50, 0x4b, 0x03, 0x04],
    what: 'an Excel workbook or another archive',
    hint: saveAsCsv,
  },
  {
    signature: [0xd0, 0xcf, 0x11, 0xe0],
    what: 'an Excel workbook of an old version',
    hint: saveAsCsv,
  },
  { signature: [0x1f, 0x8b, 0x08], what: 'compressed with gzip', hint: 'unpack it with gunzip' },
];

/** Throws FileError for a file that is no text, from its first bytes. Text in UTF-16 may have NUL. */
export function refuseBinary(name: string, start: Uint8Array, encoding: string): void {
  const format = binaryFormats.find(({ signature }) =>
    signature.every((byte, index) => start[index] === byte),
  );
  if (format) throw new FileError(`${name} is ${format.what}`, format.hint);
  if (encoding.startsWith('utf-16') || !start.includes(0)) return;
  throw new FileError(`${name} is not a text file`, saveAsCsv);
}

/** Returns the label of a text's encoding, from its first bytes and whether all are UTF-8. */
export function detectEncoding(start: Uint8Array, isUtf8: boolean): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return isUtf8 ? 'utf-8' : 'windows-1252';
}
