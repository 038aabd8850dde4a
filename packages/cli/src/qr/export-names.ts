import type { QrRecord } from '@shorty/sdk';
import { CliError } from '../cli-error.js';

// No dot and no separator, so that a name leads nowhere but into its folder.
const safeName = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const formats: readonly string[] = ['png', 'svg', 'webp'];
// Windows takes these for devices, whatever stands behind the dot.
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** Gives each code a file name of its own, and the same one every time. */
export class ExportNames {
  // By small letters: many file systems take two names that differ in case for one.
  readonly #owners = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(known: Iterable<{ readonly id: string; readonly file: string }> = []) {
    for (const { id, file } of known) this.#take(id, file);
  }

  /** `key` is the slug or code of the link; a code that stands alone has none. */
  nameOf({ id, format }: Pick<QrRecord, 'id' | 'format'>, key: string | undefined): string {
    // What a server sends never becomes a path unread.
    if (!uuid.test(id)) throw new CliError('the server named a QR code by what is no id');
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

/** The last part of what a code of a link carries: the link's short code. */
export function codeInPayload(qrData: string): string | undefined {
  return /\/([A-Za-z0-9-]+)$/.exec(qrData)?.[1];
}
