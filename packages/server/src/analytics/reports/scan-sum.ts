import { ScanFinder } from '../ingest/scan-finder.js';
import { isWithin, type ScannedUrl } from '../ingest/scanned-url.js';
import type { VisitColumns } from '../ingest/visit-columns.js';

export interface ScanSumWindow {
  readonly since: number;
  /** Not part of the window. */
  readonly until: number;
}

/** Sums up the scans of links in a window. A visit is one scan, however many codes its link has. */
export class ScanSum {
  readonly #urls: ReadonlyMap<number, ScannedUrl>;
  readonly #window: ScanSumWindow;
  #total = 0;

  constructor(urls: ReadonlyMap<number, ScannedUrl>, window: ScanSumWindow) {
    this.#urls = urls;
    this.#window = window;
  }

  get total(): number {
    return this.#total;
  }

  has(urlId: number): boolean {
    return this.#urls.has(urlId);
  }

  /** Sums up visits of one link. */
  add(urlId: number, columns: VisitColumns): void {
    const url = this.#urls.get(urlId);
    if (!url) return;
    const finder = new ScanFinder(columns, url.hasSlug);
    for (let at = 0; at < columns.count; at += 1) this.#count(url, columns, finder, at);
  }

  /** Sums up those visits of many links that are accepted. */
  addSome(columns: VisitColumns, accepts: (urlId: number) => boolean): void {
    const { urlIds } = columns;
    if (!urlIds) throw new TypeError('these visits are of one link');
    const finders = { slug: new ScanFinder(columns, true), code: new ScanFinder(columns, false) };
    for (let at = 0; at < columns.count; at += 1) {
      const url = this.#urls.get(urlIds[at] as number);
      if (!url || !accepts(url.urlId)) continue;
      this.#count(url, columns, url.hasSlug ? finders.slug : finders.code, at);
    }
  }

  /** Adds what is known of a day whose visits were pruned. */
  addPruned(scans: number): void {
    this.#total += scans;
  }

  #count({ spans }: ScannedUrl, { visitedAt }: VisitColumns, finder: ScanFinder, at: number): void {
    const time = visitedAt[at] as number;
    if (time < this.#window.since || time >= this.#window.until) return;
    if (!spans.some((span) => isWithin(span, time))) return;
    if (finder.find(at)) this.#total += 1;
  }
}
