import type { AttemptOutcome } from './attempt.js';

export interface OutcomeCount {
  /** The event's type. */
  readonly event: string;
  readonly outcome: 'delivered' | 'retried' | 'failed';
  readonly count: number;
}

/** Counts attempts by event type and outcome. */
export class OutcomeTally {
  readonly #counts = new Map<string, OutcomeCount>();

  add({ delivery, error, nextAttemptAt }: AttemptOutcome): void {
    const event = delivery.eventType;
    const outcome = error === null ? 'delivered' : nextAttemptAt === null ? 'failed' : 'retried';
    const key = `${event} ${outcome}`;
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { event, outcome, count });
  }

  get counts(): readonly OutcomeCount[] {
    return [...this.#counts.values()];
  }
}
