import { LRUCache } from 'lru-cache';
import type { QrPicture } from './qr-picture.js';

export interface QrPictureCacheOptions {
  /** Bytes of pictures that are kept at most. */
  readonly maxBytes: number;
  readonly load: (id: string) => Promise<FoundPicture>;
}

/** Undefined where there never was one. */
export type FoundPicture = QrPicture | 'gone' | undefined;

interface Load {
  readonly picture: Promise<FoundPicture>;
  /** The code has changed since the read began. */
  isOutdated: boolean;
}

// What an entry takes besides its picture.
const entryBytes = 2_048;

/**
 * The pictures that were asked for lately. After `invalidate` has returned, nobody is answered by
 * what was read before it: a read that was under way is made again.
 */
export class QrPictureCache {
  readonly #pictures: LRUCache<string, QrPicture>;
  readonly #load: QrPictureCacheOptions['load'];
  readonly #loads = new Map<string, Load>();

  constructor({ maxBytes, load }: QrPictureCacheOptions) {
    this.#load = load;
    this.#pictures = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes.length + entryBytes,
    });
  }

  /** The picture that is at hand; undefined when it must be loaded. */
  peek(id: string): QrPicture | undefined {
    return this.#pictures.get(id);
  }

  /** The picture out of storage. Those who ask meanwhile share it. */
  load(id: string): Promise<FoundPicture> {
    const running = this.#loads.get(id);
    if (running) return running.picture;
    const load: Load = { isOutdated: false, picture: Promise.resolve().then(() => this.#read(id)) };
    this.#loads.set(id, load);
    return load.picture.finally(() => this.#loads.delete(id));
  }

  invalidate(ids: readonly string[]): void {
    for (const id of ids) {
      const running = this.#loads.get(id);
      if (running) running.isOutdated = true;
      this.#pictures.delete(id);
    }
  }

  /** Forgets every picture. */
  clear(): void {
    for (const load of this.#loads.values()) load.isOutdated = true;
    this.#pictures.clear();
  }

  async #read(id: string): Promise<FoundPicture> {
    const load = this.#loads.get(id);
    for (;;) {
      const found = await this.#load(id);
      if (load?.isOutdated) {
        load.isOutdated = false;
        continue;
      }
      if (typeof found === 'object') this.#pictures.set(id, found);
      return found;
    }
  }
}
