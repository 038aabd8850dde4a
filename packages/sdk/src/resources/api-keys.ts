import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { PagedList } from '../paginate.js';
import type {
  ApiKey,
  ApiKeyCreated,
  ApiKeyCreateRequest,
  ApiKeyListQuery,
  ApiKeyPage,
} from '../types.js';
import { Resource } from './resource.js';

/** A list of API keys: one page when awaited, all when iterated. */
export interface ApiKeyList extends PagedList<ApiKey, ApiKeyPage> {}

/** API keys of the organization: `shorty.apiKeys`. They need a client with the scope `keys:write`. */
export class ApiKeysResource extends Resource {
  /**
   * Creates a key for the option `apiKey`. Only this response has the key. Rejects with PermissionError
   * if the caller lacks `keys:write` or one of the scopes, with ValidationError for an invalid expiry,
   * and with QuotaExceededError if the organization has 100 keys.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty();
   * const { id, key } = await shorty.apiKeys.create({ name: 'deploy', scopes: ['urls:write'] });
   * console.log(id, key);
   * ```
   */
  create(body: ApiKeyCreateRequest, options?: RequestOptions): ApiPromise<ApiKeyCreated> {
    return this.api.send('POST /api/v1/api-keys', { body }, options);
  }

  /**
   * Lists keys, newest first: one page when awaited, all of them when iterated.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty();
   * for await (const { name, start, lastUsedAt } of shorty.apiKeys.list()) console.log(name, start, lastUsedAt);
   * ```
   */
  list(query: ApiKeyListQuery = {}, options?: RequestOptions): ApiKeyList {
    return this.api.list('GET /api/v1/api-keys', { query }, options);
  }

  /**
   * Revokes a key and returns its last state. The next request with the key fails. Rejects with
   * NotFoundError.
   *
   * @example
   * ```ts
   * import { Shorty } from '@shorty/sdk';
   *
   * const shorty = new Shorty();
   * await shorty.apiKeys.delete('0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47');
   * ```
   */
  delete(id: string, options?: RequestOptions): ApiPromise<ApiKey> {
    return this.api.send('DELETE /api/v1/api-keys/{id}', { params: { id } }, options);
  }
}
