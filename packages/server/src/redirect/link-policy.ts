import type { Database } from '../storage/database.js';
import { readLinkPolicyVersion } from '../storage/link-policy.js';
import { findBlockedHost } from '../urls/blocked-host.js';
import { readBlockedHosts } from '../urls/takedown-repository.js';

/** The hosts that no link may lead to, and changes that affect any number of links. */
export class LinkPolicy {
  readonly #database: Database;
  readonly #onChanged: () => void;
  #version: number | undefined;
  #hosts: ReadonlySet<string> = new Set();

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
    this.#hosts = await readBlockedHosts(read);
    this.#version = version;
    this.#onChanged();
  }

  /** Returns the blocked host that a target leads to. */
  findBlockedHost(targetUrl: string): string | undefined {
    return findBlockedHost(this.#hosts, targetUrl);
  }
}
