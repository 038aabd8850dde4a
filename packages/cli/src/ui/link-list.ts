import type { UrlRecord } from '@shorty/sdk';
import type { BrowseApi } from './browse-api.js';

const searchDelayMs = 150;

/**
 * The links of a search, which are read page by page, and the selected one. It is outside of React,
 * because keys may arrive in bursts, between two renderings.
 */
export class LinkList {
  items: readonly UrlRecord[] = [];
  /** Undefined until the first page was read. */
  total: number | undefined;
  error: string | undefined;
  search: string;
  /** The index in `items`. */
  selected = 0;
  /** Increases with each change. */
  version = 0;
  readonly #api: BrowseApi;
  #onChange = () => {};
  #request = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(api: BrowseApi, search: string) {
    this.#api = api;
    this.search = search;
  }

  /** Reads the first page, and calls `onChange` after each change. Returns a function that ends it. */
  readonly start = (onChange: () => void): (() => void) => {
    this.#onChange = onChange;
    this.reload();
    return () => {
      this.#onChange = () => {};
      this.#cancel();
    };
  };

  /** Searches for another text. */
  setSearch(search: string): void {
    this.search = search;
    this.selected = 0;
    this.#read(0, searchDelayMs);
    this.#changed();
  }

  /** Selects another link. At the end, reads the next page. */
  move(step: number): void {
    const last = this.items.length - 1;
    this.selected = Math.max(0, Math.min(last, this.selected + step));
    if (this.selected === last && this.items.length < (this.total ?? 0)) {
      this.#read(this.items.length, 0);
    }
    this.#changed();
  }

  /** Reads the first page again. */
  reload(): void {
    this.#read(0, 0);
  }

  #read(offset: number, delayMs: number): void {
    this.#cancel();
    this.#request = new AbortController();
    const { signal } = this.#request;
    this.#timer = setTimeout(async () => {
      try {
        const page = await this.#api.list(this.search, offset, signal);
        if (signal.aborted) return;
        this.items = [...this.items.slice(0, offset), ...page.items];
        this.selected = Math.max(0, Math.min(this.items.length - 1, this.selected));
        this.total = page.total;
        this.error = undefined;
      } catch (caught) {
        if (signal.aborted) return;
        this.error = (caught as Error).message;
      }
      this.#changed();
    }, delayMs);
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#request.abort();
  }

  #changed(): void {
    this.version++;
    this.#onChange();
  }
}
