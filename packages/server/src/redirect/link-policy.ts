import type { Database } from '../storage/database.js';
import { readLinkPolicyVersion } from '../storage/link-policy.js';
import { findBlockedHost } from '../urls/blocked-hosts.js';

/** The hosts that the operator blocks, and changes that affect any number of links. */
export class LinkPolicy {
  readonly #database: Database;
  readonly #onChanged: () => void;
  #version: number | undefined;
  #blocked: ReadonlySet<string> = new Set();

  constructor(database: Database, onChanged: () => void) {
    this.#database = database;
    this.#onChanged = onChanged;
  }

  /** Reads the policy again, and calls back, if it has changed, also by another process. */
  async refresh(): Promise<void> {
    const { read } = this.#database;
    const version = await readLinkPolicyVersion(read);
    if (version === this.#version) return;
    // Read after the version, so these hosts are at least as new.
    const hosts = await read.selectFrom('blocked_hosts').select('id').execute();
    this.#blocked = new Set(hosts.map(({ id }) => id));
    this.#version = version;
    this.#onChanged();
  }

  /** Returns the blocked host that a target leads to. */
  findBlockedHost(targetUrl: string): string | undefined {
    return findBlockedHost(this.#blocked, targetUrl);
  }
}
