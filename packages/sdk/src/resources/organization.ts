import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { OwnOrganization, OwnOrganizationUpdateRequest } from '../types.js';
import { Resource } from './resource.js';

/** The settings of the organization: `shorty.organization`. */
export class OrganizationResource extends Resource {
  /**
   * Reads the settings of the organization.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * const { name, excludeAddresses } = await shorty.organization.get();
   * console.log(name, excludeAddresses);
   * ```
   */
  get(options?: RequestOptions): ApiPromise<OwnOrganization> {
    return this.api.send('GET /api/v1/organization', {}, options);
  }

  /**
   * Changes the settings of the organization. `excludeAddresses` replaces the list of addresses whose
   * visits do not count. Rejects with ValidationError if an entry is neither an address nor a CIDR range.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty({ baseUrl: 'https://sho.example', accessToken: 'shorty_at_9d2e' });
   * await shorty.organization.update({ excludeAddresses: ['203.0.113.0/24', '2001:db8:1::/48'] });
   * ```
   */
  update(
    patch: OwnOrganizationUpdateRequest,
    options?: RequestOptions,
  ): ApiPromise<OwnOrganization> {
    return this.api.send('PATCH /api/v1/organization', { body: patch }, options);
  }
}
