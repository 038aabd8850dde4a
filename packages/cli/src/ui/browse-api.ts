import type { UrlClicks, UrlRecord } from '@shorty/sdk';

/** What the screens of `shorty browse` read and do. */
export interface BrowseApi {
  /** Lists links that contain the text, newest first. */
  list(search: string, offset: number, signal: AbortSignal): Promise<LinkPage>;
  read(id: string): Promise<UrlRecord>;
  /** Reads the clicks of the last 24 hours by hour. */
  clicks(id: string): Promise<UrlClicks>;
  setActive(id: string, isActive: boolean): Promise<UrlRecord>;
  open(url: string): Promise<void>;
  copy(text: string): Promise<void>;
}

export interface LinkPage {
  readonly total: number;
  readonly items: readonly UrlRecord[];
}
