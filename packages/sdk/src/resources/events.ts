import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { EventListQuery, EventPage } from '../types.js';
import { Resource } from './resource.js';

/** The events of the organization: `shorty.events`. */
export class EventsResource extends Resource {
  /**
   * Lists events, oldest first, in the order in which the server has committed them. Each is listed for 30
   * days. A reader that continues with `nextAfter` misses none; `after: 'latest'` begins at the end.
   * `wait` holds the request for up to 25 seconds until there is an event. Rejects with PermissionError if
   * the plan has no webhooks, and with ValidationError for an unknown cursor.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { items, nextAfter } = await shorty.events.list({ after: 'latest', wait: 20 });
   * for (const { type, createdAt } of items) console.log(type, createdAt);
   * console.log('continue with', nextAfter);
   * ```
   */
  list(query: EventListQuery = {}, options?: RequestOptions): ApiPromise<EventPage> {
    // The schema of an event depends on its type.
    return this.api.send('GET /api/v1/events', { query }, options) as ApiPromise<EventPage>;
  }
}
