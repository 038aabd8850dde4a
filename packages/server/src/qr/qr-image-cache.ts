import { LRUCache } from 'lru-cache';
import type { QrImage } from './qr-image.js';

export interface QrImageCacheOptions {
  readonly maxBytes: number;
  /** Reads an image from storage. */
  readonly load: (id: string) => Promise<FoundImage>;
}

/** `'deleted'` for a deleted code, undefined for an unknown id. */
export type FoundImage = QrImage | 'deleted' | undefined;

interface Load {
  readonly result: Promise<FoundImage>;
  /** The code has changed since the load began. */
  isOutdated: boolean;
}

// The memory of an entry besides its image.
const entryBytes = 2_048;

/**
 * An LRU cache of images. After `invalidate` returns, no caller receives an older image: loads that
 * are under way read storage again.
 */
export class QrImageCache {
  readonly #images: LRUCache<string, QrImage>;
  readonly #load: QrImageCacheOptions['load'];
  readonly #loads = new Map<string, Load>();

  constructor({ maxBytes, load }: QrImageCacheOptions) {
    this.#load = load;
    this.#images = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes.length + entryBytes,
    });
  }

  /** Returns the cached image; undefined when it has to be loaded. */
  peek(id: string): QrImage | undefined {
    return this.#images.get(id);
  }

  /** Loads an image. Concurrent calls share one load. */
  load(id: string): Promise<FoundImage> {
    const running = this.#loads.get(id);
    if (running) return running.result;
    const load: Load = { isOutdated: false, result: Promise.resolve().then(() => this.#read(id)) };
    this.#loads.set(id, load);
    return load.result.finally(() => this.#loads.delete(id));
  }

  invalidate(ids: readonly string[]): void {
    for (const id of ids) {
      const running = this.#loads.get(id);
      if (running) running.isOutdated = true;
      this.#images.delete(id);
    }
  }

  /** Evicts every image. */
  clear(): void {
    for (const load of this.#loads.values()) load.isOutdated = true;
    this.#images.clear();
  }

  async #read(id: string): Promise<FoundImage> {
    const load = this.#loads.get(id);
    for (;;) {
      const found = await this.#load(id);
      if (load?.isOutdated) {
        load.isOutdated = false;
        continue;
      }
      if (typeof found === 'object') this.#images.set(id, found);
      return found;
    }
  }
}
