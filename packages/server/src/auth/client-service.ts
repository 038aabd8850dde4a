import { ApiError, notFound, quotaError } from '../contract/api-error.js';
import type { Scope } from '../contract/define-route.js';
import type { WriteRequest } from '../idempotency/with-idempotency-key.js';
import type { Clock, RandomBytes } from '../ports.js';
import { clientOf, newCredentials } from './auth-service.js';
import { maxClients } from './client-contract.js';
import type { Client, ClientRepository } from './client-repository.js';

export interface ClientServiceOptions {
  readonly clients: ClientRepository;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

interface NewClientFields {
  readonly name?: string | null | undefined;
  readonly scopes?: readonly Scope[] | undefined;
}

interface ClientFields {
  readonly name?: string | null | undefined;
  /** ISO 8601. */
  readonly expiresAt?: string | null | undefined;
}

/** Creates, changes and revokes the clients of organizations, for the operator. */
export class ClientService {
  readonly #options: ClientServiceOptions;

  constructor(options: ClientServiceOptions) {
    this.#options = options;
  }

  /** Throws NOT_FOUND when there is no such organization, or QUOTA_EXCEEDED. */
  async create(
    organizationId: string,
    { name = null, scopes }: NewClientFields,
    write: WriteRequest | undefined,
  ) {
    const { clients, clock, randomBytes } = this.#options;
    const credentials = newCredentials(randomBytes);
    const { result, replayed } = await clients.create(
      clientOf(organizationId, credentials, scopes, name),
      credentials.clientSecret,
      clock(),
      write,
    );
    if (result === 'no-organization') throw noOrganization(organizationId, replayed);
    if (result === 'too-many') {
      const use = `An organization has at most ${maxClients} clients, and ${maxClients} exist`;
      throw quotaError(use, 'Revoke one first', replayed);
    }
    return { ...result, replayed };
  }

  /** Throws NOT_FOUND. */
  async update(
    organizationId: string,
    id: string,
    { name, expiresAt }: ClientFields,
    write: WriteRequest | undefined,
  ) {
    const { clients } = this.#options;
    const changes = { name, expiresAt: toInstant(expiresAt) };
    return foundClient(id, await clients.update(organizationId, id, changes, write));
  }

  /** Throws NOT_FOUND. */
  async revoke(organizationId: string, id: string, write: WriteRequest | undefined) {
    const { clients, clock } = this.#options;
    return foundClient(id, await clients.revoke(organizationId, id, clock(), write));
  }
}

/** Returns the time of a request's field in milliseconds since 1970. */
export function toInstant(text: string | null | undefined): number | null | undefined {
  return text == null ? text : Date.parse(text);
}

export function noOrganization(id: string, replayed = false): ApiError {
  return new ApiError('NOT_FOUND', `There is no organization "${id}"`, { replayed });
}

function foundClient(
  id: string,
  { result, replayed }: { readonly result: Client | null; readonly replayed: boolean },
) {
  if (!result) throw notFound('client', id, replayed);
  return { client: result, replayed };
}
