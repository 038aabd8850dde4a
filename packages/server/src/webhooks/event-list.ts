import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { ApiError, validationError } from '../contract/api-error.js';
import type { Database } from '../storage/database.js';

export interface EventRange {
  readonly after?: string | undefined;
  readonly type?: string | undefined;
  readonly limit: number;
  readonly wait: number;
}

export type EventList = ReturnType<typeof createEventList>;

/** The maximum number of requests of one organization that wait at once. */
export const maxWaitingOfOrganization = 10;
// The pause between two reads of a request that waits. Any node and thread may write events.
const pollEveryMs = 250;

/**
 * Lists events in the order of their commits. At most `maxWaiting` requests wait for one at once. They
 * take no connection to the database meanwhile.
 */
export function createEventList({ read }: Pick<Database, 'read'>, maxWaiting: number) {
  /** The organization of each request that waits. */
  const waiting: string[] = [];
  let isStopping = false;

  async function findLast(organizationId: string): Promise<number> {
    const counter = await read
      .selectFrom('event_counters')
      .select('last')
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    return counter?.last ?? 0;
  }

  async function positionOf(organizationId: string, after: string | undefined): Promise<number> {
    if (after === undefined) return 0;
    const last = await findLast(organizationId);
    if (after === 'latest') return last;
    const position = /^\d{1,15}$/.test(after) ? Number(after) : Number.POSITIVE_INFINITY;
    // Later than the last event: the cursor is older than a restored backup.
    if (position <= last) return position;
    const message = 'must be the nextAfter of a list of events, or latest';
    throw validationError([{ path: 'after', message }]);
  }

  async function readPage(
    organizationId: string,
    after: number,
    { type, limit }: Pick<EventRange, 'type' | 'limit'>,
  ) {
    // Read first: the second query has all events up to this one.
    const last = await findLast(organizationId);
    if (last === after) return { bodies: [], position: after };
    const events = read
      .selectFrom('events')
      .select(['body', 'sequence'])
      .where('organization_id', '=', organizationId)
      .where('sequence', '>', after)
      .orderBy('sequence')
      .limit(sql.lit(limit))
      .$narrowType<{ sequence: number }>();
    const rows = await (type === undefined ? events : events.where('type', '=', type)).execute();
    const end = rows.at(-1)?.sequence ?? after;
    const position = rows.length < limit ? Math.max(last, end) : end;
    return { bodies: rows.map(({ body }) => body), position };
  }

  /** Reads pages until one has an event, the time is over, or the server stops. */
  async function waitForPage(
    organizationId: string,
    after: number,
    { wait, ...range }: EventRange,
  ): ReturnType<typeof readPage> {
    if (waiting.filter((each) => each === organizationId).length >= maxWaitingOfOrganization) {
      const message = `${maxWaitingOfOrganization} requests of the organization wait for events, the maximum`;
      throw new ApiError('RATE_LIMITED', message, { headers: { 'Retry-After': '5' } });
    }
    if (waiting.length >= maxWaiting) {
      throw new ApiError('UNAVAILABLE', 'Too many requests wait for events');
    }
    waiting.push(organizationId);
    try {
      const until = performance.now() + wait * 1000;
      let page = { bodies: [] as string[], position: after };
      for (;;) {
        const leftMs = until - performance.now();
        if (page.bodies.length > 0 || leftMs <= 0 || isStopping) return page;
        await sleep(Math.min(pollEveryMs, leftMs));
        page = await readPage(organizationId, page.position, range);
      }
    } finally {
      waiting.splice(waiting.indexOf(organizationId), 1);
    }
  }

  return {
    /** Returns the bodies of events, and the cursor after them. */
    async list(organizationId: string, range: EventRange) {
      const after = await positionOf(organizationId, range.after);
      let page = await readPage(organizationId, after, range);
      if (page.bodies.length === 0 && range.wait > 0) {
        page = await waitForPage(organizationId, page.position, range);
      }
      return { bodies: page.bodies, nextAfter: String(page.position) };
    },
    /** Answers the requests that wait, within the pause between two reads. */
    stop(): void {
      isStopping = true;
    },
  };
}
