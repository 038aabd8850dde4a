import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { Transport } from '../send-request.js';
import type { Usage } from '../types.js';

/** What the organization uses of its plan; reached as `shorty.usage`. */
export class UsageResource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads the usage of the current month.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { plan, links } = await shorty.usage.get();
   * console.log(plan, `${links.used} of ${links.included ?? 'any number of'} links`);
   * ```
   */
  get(options?: RequestOptions): ApiPromise<Usage> {
    return this.#transport.send({ method: 'GET', path: ['usage'] }, options);
  }
}
