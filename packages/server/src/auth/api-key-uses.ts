import { LRUCache } from 'lru-cache';
import { entryLimit } from '../entry-limit.js';
import type { ApiKeyRepository } from './api-key-repository.js';

/** The last use of each key is stored at most once in this time. */
export const useIntervalMs = 60_000;
const keysAtOnce = 100;
// Beyond this number, the keys whose use was stored least recently are stored again sooner.
const maxKeys = 100_000;

/** Collects the uses of API keys. Requests do not wait until they are stored. */
export class ApiKeyUses {
  readonly #apiKeys: Pick<ApiKeyRepository, 'saveUses'>;
  readonly #pending = new Map<string, number>();
  readonly #storedAt = new LRUCache<string, number>(entryLimit(maxKeys));

  constructor(apiKeys: Pick<ApiKeyRepository, 'saveUses'>) {
    this.#apiKeys = apiKeys;
  }

  note(id: string, now: number): void {
    this.#pending.set(id, now);
  }

  /** Stores the uses of the keys that were not stored within the last minute. */
  async store(now: number): Promise<void> {
    await this.#storeThose((id) => now - (this.#storedAt.get(id) ?? 0) >= useIntervalMs);
  }

  /** Stores all uses, at the end of the process. */
  storeAll(): Promise<void> {
    return this.#storeThose(() => true);
  }

  async #storeThose(isDue: (id: string) => boolean): Promise<void> {
    const due = [...this.#pending].filter(([id]) => isDue(id));
    for (let at = 0; at < due.length; at += keysAtOnce) {
      const batch = due.slice(at, at + keysAtOnce);
      await this.#apiKeys.saveUses(batch);
      for (const [id, usedAt] of batch) {
        this.#storedAt.set(id, usedAt);
        // A later use may have come meanwhile.
        if (this.#pending.get(id) === usedAt) this.#pending.delete(id);
      }
    }
  }
}
