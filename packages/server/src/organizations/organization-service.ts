import { clientOf, newCredentials } from '../auth/auth-service.js';
import { noOrganization } from '../auth/client-service.js';
import { ApiError, shorten, summarize } from '../contract/api-error.js';
import type { WriteRequest } from '../idempotency/with-idempotency-key.js';
import type { Clock, NewId, RandomBytes } from '../ports.js';
import type { OrganizationChanges, OrganizationRepository } from './organization-repository.js';
import type { PlanName } from './plans.js';

export interface OrganizationServiceOptions {
  readonly organizations: OrganizationRepository;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
}

/** Creates, changes and deletes organizations, for the operator. */
export class OrganizationService {
  readonly #options: OrganizationServiceOptions;

  constructor(options: OrganizationServiceOptions) {
    this.#options = options;
  }

  /** Creates an organization and its first client. */
  async create(
    fields: { readonly name: string; readonly plan: PlanName },
    write: WriteRequest | undefined,
  ) {
    const { organizations, clock, newId, randomBytes } = this.#options;
    const credentials = newCredentials(randomBytes);
    const id = newId();
    const { result, replayed } = await organizations.create(
      { id, ...fields, createdAt: clock() },
      clientOf(id, credentials),
      credentials.clientSecret,
      write,
    );
    return { ...result, replayed };
  }

  /** Returns the organization after the change, and before it. Throws NOT_FOUND. */
  async update(id: string, changes: OrganizationChanges, write: WriteRequest | undefined) {
    const { organizations, clock } = this.#options;
    const { result, replayed } = await organizations.update(id, changes, clock(), write);
    if (!result) throw noOrganization(id, replayed);
    return { ...result, replayed };
  }

  /**
   * Begins the deletion of an organization, which must be confirmed by its id or name. Throws
   * VALIDATION_FAILED or NOT_FOUND.
   */
  async delete(id: string, confirmation: string, write: WriteRequest | undefined) {
    const { organizations, clock } = this.#options;
    const { result, replayed } = await organizations.markDeleted(id, confirmation, clock(), write);
    if (!result) throw noOrganization(id, replayed);
    if ('id' in result) return { ...result, replayed };
    const message = `is "${shorten(confirmation)}", but must be the id or the name of the organization, which is deleted with everything that it has`;
    const details = [{ path: 'confirm', message }];
    throw new ApiError('VALIDATION_FAILED', summarize(details), { details, replayed });
  }
}
