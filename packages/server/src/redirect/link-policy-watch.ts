import type { Database } from '../storage/database.js';
import { readLinkPolicyVersion } from '../storage/link-policy.js';

/** Notices changes that affect any number of links, also those of other processes. */
export class LinkPolicyWatch {
  readonly #database: Database;
  readonly #onChanged: () => void;
  #version: number | undefined;

  constructor(database: Database, onChanged: () => void) {
    this.#database = database;
    this.#onChanged = onChanged;
  }

  /** Calls back if the policy has changed since the last call. */
  async refresh(): Promise<void> {
    const version = await readLinkPolicyVersion(this.#database.read);
    const isChanged = this.#version !== undefined && version !== this.#version;
    this.#version = version;
    if (isChanged) this.#onChanged();
  }
}
