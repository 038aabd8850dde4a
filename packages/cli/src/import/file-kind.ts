/** The kind of a file that is no text, and how to get one from it. */
interface FileKind {
  readonly title: string;
  readonly remedy: string;
}

const asCsv = 'save it as CSV';
const workbook: FileKind = { title: 'an Excel workbook', remedy: asCsv };
const compressed = (format: string): FileKind => ({
  title: `compressed with ${format}`,
  remedy: 'decompress it first',
});

/** The first bytes of files, in hexadecimal. A ZIP archive follows the table. */
const signatures: Readonly<Record<string, FileKind>> = {
  d0cf11e0a1b11ae1: workbook,
  '25504446': { title: 'a PDF document', remedy: 'export the links as CSV' },
  '53514c69746520666f726d6174203300': {
    title: 'an SQLite database',
    remedy: 'export its table of links as CSV',
  },
  '425a68': compressed('bzip2'),
  fd377a585a00: compressed('xz'),
  '28b52ffd': compressed('zstd'),
  '377abcaf271c': compressed('7-Zip'),
  '526172211a07': compressed('RAR'),
  '89504e47': { title: 'an image', remedy: 'export the links as CSV' },
  ffd8ff: { title: 'an image', remedy: 'export the links as CSV' },
  '50415231': { title: 'a Parquet file', remedy: asCsv },
};

/** Names within a ZIP archive that tell what it is. */
const archives: readonly (readonly [RegExp, FileKind])[] = [
  [/xl\/|\[Content_Types\]\.xml/, workbook],
  [
    /application\/vnd\.oasis\.opendocument/,
    { title: 'an OpenDocument spreadsheet', remedy: asCsv },
  ],
  [/\.iwa|Index\.zip/, { title: 'a Numbers spreadsheet', remedy: 'export it as CSV' }],
];
const archive: FileKind = {
  title: 'a ZIP archive',
  remedy: 'extract it and import the file in it',
};

/** The beginning of texts that are no list of links. */
const texts: readonly (readonly [RegExp, FileKind])[] = [
  [/^<\?xml[\s\S]*\bExcel\.Sheet\b/, workbook],
  [/^<(?:!doctype html|html|head|body|table|meta)\b/i, { title: 'an HTML page', remedy: asCsv }],
  [/^<(?:\?xml|!--|!doctype)/i, { title: 'an XML document', remedy: asCsv }],
];

/**
 * Returns what a file is that can be neither CSV nor JSON, such as `an Excel workbook; save it as CSV`. Reads
 * the first and the last bytes, because a ZIP archive lists its names at the end.
 */
export function findFileKind(start: Buffer, end: Buffer): string | undefined {
  const kind = kindOf(start, end);
  return kind && `${kind.title}; ${kind.remedy}`;
}

function kindOf(start: Buffer, end: Buffer): FileKind | undefined {
  const bytes = start.subarray(0, 16).toString('hex');
  if (/^504b(?:0304|0506|0708)/.test(bytes)) {
    const names = start.toString('latin1') + end.toString('latin1');
    return archives.find(([pattern]) => pattern.test(names))?.[1] ?? archive;
  }
  const signature = Object.keys(signatures).find((known) => bytes.startsWith(known));
  if (signature !== undefined) return signatures[signature];
  if (start.toString('latin1', 257, 262) === 'ustar') {
    return { title: 'a tar archive', remedy: archive.remedy };
  }
  // Without zero bytes, UTF-16 reads as ASCII.
  const text = start
    .toString('latin1')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart();
  return texts.find(([pattern]) => pattern.test(text))?.[1];
}
