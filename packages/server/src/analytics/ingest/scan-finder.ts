import { decideScan, type Scan } from '../classify/decide-scan.js';
import { byCode, kindOf, type VisitColumns } from './visit-columns.js';

/**
 * Tells which visits are scans, provided that their link had a QR code at the time. What decides has
 * few different values, so that each combination is decided once.
 */
export class ScanFinder {
  readonly #columns: VisitColumns;
  readonly #hasSlug: boolean;
  readonly #isPerson: Uint8Array;
  readonly #decided = new Map<number, Scan | null>();

  /** Visits of links that all have a slug, or all have none. */
  constructor(columns: VisitColumns, hasSlug: boolean) {
    this.#columns = columns;
    this.#hasSlug = hasSlug;
    this.#isPerson = Uint8Array.from(columns.words.source.texts, (source) =>
      kindOf(source) === 'human' ? 1 : 0,
    );
  }

  /** The scan that a visit is; null when it is none. */
  find(at: number): Scan | null {
    const { marks, words } = this.#columns;
    const mark = marks[at] as number;
    if ((mark & byCode) === 0) return null;
    if (this.#isPerson[words.source.codes[at] as number] === 0) return null;
    const device = words.deviceType.codes[at] as number;
    const os = words.os.codes[at] as number;
    const app = words.scannerApp.codes[at] as number;
    const combination =
      ((mark * words.deviceType.texts.length + device) * words.os.texts.length + os) *
        words.scannerApp.texts.length +
      app;
    let scan = this.#decided.get(combination);
    if (scan === undefined) {
      scan = decideScan(
        { hasQr: true, hasSlug: this.#hasSlug, isByCode: true },
        {
          evidence: mark & ~byCode,
          deviceType: words.deviceType.texts[device] as DeviceType,
          os: words.os.texts[os] as string,
          scannerApp: words.scannerApp.texts[app] || null,
        },
      );
      this.#decided.set(combination, scan);
    }
    return scan;
  }
}

type DeviceType = Parameters<typeof decideScan>[1]['deviceType'];
