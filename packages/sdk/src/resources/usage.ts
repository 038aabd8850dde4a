import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { Usage, UsageQuery } from '../types.js';
import { Resource } from './resource.js';

/** The usage of the organization: `shorty.usage`. */
export class UsageResource extends Resource {
  /**
   * Reads the usage of a calendar month in UTC. The default is the current month. Amounts are exact,
   * in US dollars. `included` is null without a limit. Rejects with ValidationError if `period` is not
   * a month or is in the future.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { plan, links, meters } = await shorty.usage.get({ period: '2030-01' });
   * console.log(plan, `${links.used} of ${links.included ?? 'any number of'} links`);
   * console.log(meters.api_call.used, 'calls');
   * console.log(meters.qr_generated.overage, 'more codes cost', meters.qr_generated.overageUsd);
   * ```
   */
  get(query: UsageQuery = {}, options?: RequestOptions): ApiPromise<Usage> {
    return this.api.send('GET /api/v1/usage', { query }, options);
  }
}
