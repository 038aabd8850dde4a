import type { UrlClicks, UrlRecord } from '@shorty/sdk';

/** What the screens of `shorty browse` read and do. */
export interface BrowseApi {
  /** Lists links that contain the text, newest first. */
  list(search: string, offset: number, signal: AbortSignal): PromiseLike<LinkPage>;
  read(id: string): PromiseLike<UrlRecord>;
  /** Reads the clicks of the last 24 hours by hour. */
  clicks(id: string): PromiseLike<UrlClicks>;
  setActive(id: string, isActive: boolean): PromiseLike<UrlRecord>;
  open(url: string): PromiseLike<void>;
  copy(text: string): PromiseLike<void>;
}

export interface LinkPage {
  readonly total: number;
  readonly items: readonly UrlRecord[];
}
