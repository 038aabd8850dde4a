import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { entryLimit } from '../entry-limit.js';

const maxFailingLinks = 1_000;

/** Counts the errors of rules, and logs each link with an error once until it clears. Never throws. */
export class RuleErrors {
  readonly #logger: Pick<Logger, 'error'>;
  readonly #failing = new LRUCache<number, true>(entryLimit(maxFailingLinks));
  /** The number of visits that led to the link's own target because of an error. */
  count = 0;

  constructor(logger: Pick<Logger, 'error'>) {
    this.#logger = logger;
  }

  note(link: { readonly urlId: number; readonly organizationId: string }, err: unknown): void {
    this.count += 1;
    const { urlId, organizationId } = link;
    if (this.#failing.has(urlId)) return;
    this.#failing.set(urlId, true);
    this.#logger.error({ urlId, organizationId, err }, 'rules of a link failed');
  }

  /** Notes that the rules of a link work. */
  clear(urlId: number): void {
    if (this.#failing.size > 0) this.#failing.delete(urlId);
  }
}
