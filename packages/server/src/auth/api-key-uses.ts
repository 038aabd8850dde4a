import type { ApiKey, ApiKeyRepository } from './api-key-repository.js';

/** The last use of each key is stored at most once in this time. */
const useIntervalMs = 60_000;

/** Stores when API keys were last used. Requests do not wait for it. */
export class ApiKeyUses {
  readonly #apiKeys: Pick<ApiKeyRepository, 'saveUse'>;
  readonly #onError: (error: unknown) => void;
  /** By the id of the key. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(apiKeys: Pick<ApiKeyRepository, 'saveUse'>, onError: (error: unknown) => void) {
    this.#apiKeys = apiKeys;
    this.#onError = onError;
  }

  note({ id, lastUsedAt }: Pick<ApiKey, 'id' | 'lastUsedAt'>, now: number): void {
    if (lastUsedAt !== null && now - lastUsedAt < useIntervalMs) return;
    if (this.#writes.has(id)) return;
    const write = this.#apiKeys.saveUse(id, now).catch(this.#onError);
    this.#writes.set(
      id,
      write.finally(() => this.#writes.delete(id)),
    );
  }

  /** Waits for the writes in progress, at the end of the process. */
  async stop(): Promise<void> {
    await Promise.all(this.#writes.values());
  }
}
