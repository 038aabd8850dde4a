import type { Database } from '../storage/database.js';
import { readLinkPolicyVersion } from '../storage/link-policy.js';
import { readHostRules } from '../urls/host-rule-repository.js';
import { findBlockedHost, type HostRules } from '../urls/host-rules.js';

/** The rules of hosts that links lead to, and changes that affect any number of links. */
export class LinkPolicy {
  readonly #database: Database;
  readonly #onChanged: () => void;
  #version: number | undefined;
  #rules: HostRules = new Map();

  constructor(database: Database, onChanged: () => void) {
    this.#database = database;
    this.#onChanged = onChanged;
  }

  /** Reads the policy again, and calls back, if it has changed, also by another process. */
  async refresh(): Promise<void> {
    const { read } = this.#database;
    const version = await readLinkPolicyVersion(read);
    if (version === this.#version) return;
    // Read after the version, so these rules are at least as new.
    this.#rules = await readHostRules(read);
    this.#version = version;
    this.#onChanged();
  }

  /** Returns the blocked host that a target leads to; `everyHost` if it is not among the allowed ones. */
  findBlockedHost(targetUrl: string): string | undefined {
    return findBlockedHost(this.#rules, targetUrl);
  }
}
