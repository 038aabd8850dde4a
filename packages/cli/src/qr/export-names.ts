import type { QrRecord } from '@shorty/sdk';
import { CliError } from '../cli-error.js';

// Without dots and separators, a name cannot leave its folder.
const safeName = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const formats: readonly string[] = ['png', 'svg', 'webp'];
// Reserved device names on Windows, with any extension.
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** Assigns a unique and stable file name to each QR code. */
export class ExportNames {
  // Keys are in lower case, because many file systems ignore case.
  readonly #owners = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(known: Iterable<{ readonly id: string; readonly file: string }> = []) {
    for (const { id, file } of known) this.#take(id, file);
  }

  /** Returns the file name of a QR code. `key` is the slug or short code of its link, if any. */
  nameOf({ id, format }: Pick<QrRecord, 'id' | 'format'>, key: string | undefined): string {
    // Values from the server must not become paths without validation.
    if (!uuid.test(id)) throw new CliError('the server returned a QR code with an invalid id');
    if (!formats.includes(format)) throw new CliError(`QR code ${id} has an unknown format`);
    const known = this.#names.get(id);
    if (known?.endsWith(`.${format}`)) return known;
    const isUsable = key !== undefined && safeName.test(key) && !device.test(key);
    const base = isUsable ? key : `qr-${id.toLowerCase()}`;
    const plain = `${base}.${format}`;
    const owner = this.#owners.get(plain.toLowerCase());
    const name =
      owner === undefined || owner === id
        ? plain
        : `${base}-${id.slice(-12).toLowerCase()}.${format}`;
    this.#take(id, name);
    return name;
  }

  #take(id: string, name: string): void {
    this.#owners.set(name.toLowerCase(), id);
    this.#names.set(id, name);
  }
}

/** Returns the short code at the end of the payload of a QR code. */
export function codeInPayload(qrData: string): string | undefined {
  return /\/([A-Za-z0-9-]+)$/.exec(qrData)?.[1];
}
