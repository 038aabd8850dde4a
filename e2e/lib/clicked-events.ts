import type { Shorty } from '@shorty/sdk';
import type { WebhookEvent } from '@shorty/webhook-verifier';
import { expect } from 'vitest';

/** Adds up the visits in events of url.clicked by link, each event once. For `startReceiver`. */
export function addUpClicks() {
  const events = new Map<string, Map<string, number>>();
  const counts = () => {
    const sums: Record<string, number> = {};
    for (const ofEvent of events.values()) {
      for (const [id, count] of ofEvent) sums[id] = (sums[id] ?? 0) + count;
    }
    return sums;
  };
  return {
    onEvent(event: WebhookEvent): void {
      if (event.type !== 'url.clicked') throw new Error(event.type);
      const ofEvent = new Map<string, number>();
      for (const { urlId } of event.data.visits) ofEvent.set(urlId, (ofEvent.get(urlId) ?? 0) + 1);
      events.set(event.id, ofEvent);
    },
    /** Returns the number of events. */
    events: () => events.size,
    /** Returns the number of visits in all events. */
    total: () => Object.values(counts()).reduce((sum, count) => sum + count, 0),
    /**
     * Waits until at least this number of clicks is stored, and each stored click of the links is in
     * exactly one event.
     */
    async containEachClickOf(
      shorty: Shorty,
      ids: readonly string[],
      atLeast: number,
    ): Promise<void> {
      const differences = async () => {
        const inEvents = counts();
        const found: string[] = [];
        let stored = 0;
        for (const id of ids) {
          const { clickCount } = await shorty.urls.get(id);
          stored += clickCount;
          const sent = inEvents[id] ?? 0;
          if (clickCount !== sent)
            found.push(`link ${id}: ${clickCount} clicks, ${sent} in events`);
        }
        // Clicks that are stored later would be missing in both.
        if (stored < atLeast) found.push(`${stored} clicks are stored, of at least ${atLeast}`);
        return found;
      };
      await expect
        .poll(differences, {
          message: 'links whose stored clicks differ from the visits in events',
          // The leases of the dispatcher that was killed last expire after 20 s.
          timeout: 120_000,
          interval: 200,
        })
        .toEqual([]);
    },
  };
}
