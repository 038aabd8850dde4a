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

  /** Returns a function that ends the wait. Throws if too many requests wait. */
  function beginWait(organizationId: string): () => void {
    if (waiting.filter((each) => each === organizationId).length >= maxWaitingOfOrganization) {
      const message = `${maxWaitingOfOrganization} requests of the organization wait for events, the maximum`;
      throw new ApiError('RATE_LIMITED', message, { headers: { 'Retry-After': '5' } });
    }
    if (waiting.length >= maxWaiting) {
      throw new ApiError('UNAVAILABLE', 'Too many requests wait for events');
    }
    waiting.push(organizationId);
    return () => waiting.splice(waiting.indexOf(organizationId), 1);
  }

  return {
    /** Returns the bodies of events, and the cursor after them. Waits for one if there is none. */
    async list(organizationId: string, { after, wait, ...range }: EventRange) {
      const first = await positionOf(organizationId, after);
      let { bodies, position } = await readPage(organizationId, first, range);
      if (bodies.length === 0 && wait > 0) {
        const endWait = beginWait(organizationId);
        const until = performance.now() + wait * 1000;
        try {
          while (bodies.length === 0 && performance.now() < until && !isStopping) {
            await sleep(Math.min(pollEveryMs, until - performance.now()));
            ({ bodies, position } = await readPage(organizationId, position, range));
          }
        } finally {
          endWait();
        }
      }
      return { bodies, nextAfter: String(position) };
    },
    /** Answers the requests that wait, within the pause between two reads. */
    stop(): void {
      isStopping = true;
    },
  };
}
