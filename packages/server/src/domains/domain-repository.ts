import type { CompiledQuery, Kysely } from 'kysely';
import type { ErrorCode } from '../contract/errors.js';
import type { EventOutbox } from '../events/event-outbox.js';
import {
  findStoredResult,
  type IdempotentRequest,
  type IdempotentResult,
  withIdempotencyKey,
} from '../idempotency/with-idempotency-key.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { prepare } from '../storage/prepared.js';
import { type Domain, domainColumns, domainOf } from './domain.js';
import { maxDomains } from './domain-contract.js';
import { domainVerified } from './domain-events.js';
import { toDomainRecord } from './present-domain.js';

/** The result of a change, which is stored with its idempotency key. */
export type DomainOutcome =
  | { readonly domain: Domain }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string } };

export const domainNotFound = refuse('NOT_FOUND', 'There is no such domain in this organization');

export interface DomainFilter {
  readonly limit: number;
  readonly offset: number;
  readonly isActive?: boolean | undefined;
  readonly hostname?: string | undefined;
}

/** The domain that serves the links of a hostname. */
export interface HostDomain {
  readonly id: string;
  readonly isActive: boolean;
}

/** Stores custom domains. Every method is one transaction. Organizations do not see deleted domains. */
export class DomainRepository {
  readonly #database: Database;
  readonly #outbox: EventOutbox;
  readonly #byHostname: (hostname: string) => CompiledQuery<{ id: string; is_active: number }>;

  constructor(database: Database, { outbox }: { readonly outbox: EventOutbox }) {
    this.#database = database;
    this.#outbox = outbox;
    this.#byHostname = prepare(
      database.read
        .selectFrom('domains')
        .select(['id', 'is_active'])
        .where('verified_at', 'is not', null)
        .where('hostname', '=', '')
        .orderBy('is_active', 'desc')
        .orderBy('verified_at', 'desc'),
    );
  }

  /**
   * Creates a pending domain. When the organization had deleted a domain of this hostname, restores
   * that domain with its links.
   */
  create(
    domain: Domain,
    idempotency: IdempotentRequest | undefined,
  ): Promise<IdempotentResult<DomainOutcome>> {
    return this.#database.write(domain.organizationId, (transaction) =>
      withIdempotencyKey<DomainOutcome>(transaction, idempotency, async () => {
        const { organizationId, hostname } = domain;
        const existing = await transaction
          .selectFrom('domains')
          .select(['id', 'deleted_at'])
          .where('organization_id', '=', organizationId)
          .where('hostname', '=', hostname)
          .executeTakeFirst();
        if (existing?.deleted_at === null) {
          return refuse('DOMAIN_CONFLICT', `${hostname} already exists as domain ${existing.id}`);
        }
        if ((await count(transaction, organizationId)) >= maxDomains) {
          return refuse('QUOTA_EXCEEDED', `An organization has at most ${maxDomains} domains`);
        }
        const { challenge, createdAt } = domain;
        const row = existing
          ? await transaction
              .updateTable('domains')
              .set({ challenge, created_at: createdAt, deleted_at: null })
              .where('id', '=', existing.id)
              .returning(domainColumns)
              .executeTakeFirstOrThrow()
          : await transaction
              .insertInto('domains')
              .values({
                id: domain.id,
                organization_id: organizationId,
                hostname,
                challenge,
                is_active: 0,
                created_at: createdAt,
                verified_at: null,
                last_checked_at: null,
                last_error: null,
                deleted_at: null,
              })
              .returning(domainColumns)
              .executeTakeFirstOrThrow();
        return { domain: domainOf(row) };
      }),
    );
  }

  find(organizationId: string, id: string): Promise<Domain | undefined> {
    return find(this.#database.read, organizationId, id);
  }

  /** Returns the result of an earlier request with this idempotency key. */
  findFirstVerification(
    request: IdempotentRequest,
  ): Promise<IdempotentResult<DomainOutcome> | undefined> {
    return findStoredResult(this.#database.read, request);
  }

  /**
   * Activates a domain, or stores why it was not verified. The first activation writes an event.
   * `checked` is the domain whose challenge was looked up; `error` is null when DNS has it.
   */
  verify(
    checked: Domain,
    error: string | null,
    now: number,
    idempotency: IdempotentRequest | undefined,
  ): Promise<IdempotentResult<DomainOutcome>> {
    return this.#database.write(checked.organizationId, (transaction) =>
      withIdempotencyKey<DomainOutcome>(transaction, idempotency, async () => {
        const { id, organizationId, hostname } = checked;
        const before = await find(transaction, organizationId, id);
        // It may have been deleted and restored with another challenge during the look-up.
        if (before?.challenge !== checked.challenge) return domainNotFound;
        if (before.isActive) return { domain: before };
        const owner = error === null ? await this.#find(transaction, hostname) : undefined;
        const isTaken = owner?.isActive === true;
        const lastError = isTaken
          ? `${hostname} is active in another organization of this server, which must delete it first`
          : error;
        const verifiedAt = lastError === null ? (before.verifiedAt ?? now) : before.verifiedAt;
        const row = await transaction
          .updateTable('domains')
          .set({
            is_active: lastError === null ? 1 : 0,
            verified_at: verifiedAt,
            last_checked_at: now,
            last_error: lastError,
          })
          .where('id', '=', id)
          .returning(domainColumns)
          .executeTakeFirstOrThrow();
        if (lastError !== null) {
          return refuse(isTaken ? 'DOMAIN_CONFLICT' : 'DOMAIN_INVALID', lastError);
        }
        const domain = domainOf(row);
        if (before.verifiedAt === null) {
          await this.#outbox.record(transaction, organizationId, domainVerified, now, () => [
            toDomainRecord(domain),
          ]);
        }
        return { domain };
      }),
    );
  }

  /** Deletes a domain that has no active links. Its row stays, because inactive links refer to it. */
  delete(organizationId: string, id: string, now: number): Promise<DomainOutcome> {
    return this.#database.write(organizationId, async (transaction) => {
      const domain = await find(transaction, organizationId, id);
      if (!domain) return domainNotFound;
      // Not a count: a domain may have a million links, and redirects wait for this query.
      const activeUrl = await transaction
        .selectFrom('urls')
        .select('id')
        .where('domain_id', '=', id)
        .where('is_active', '=', 1)
        .limit(1)
        .executeTakeFirst();
      if (activeUrl) {
        return refuse(
          'DOMAIN_CONFLICT',
          `${domain.hostname} has active links: deactivate them or move them to another domain first`,
        );
      }
      await transaction
        .updateTable('domains')
        .set({ is_active: 0, deleted_at: now, last_checked_at: null, last_error: null })
        .where('id', '=', id)
        .execute();
      return { domain };
    });
  }

  /** Returns the active domain of a hostname, or else the one that was verified last. */
  findByHostname(hostname: string): Promise<HostDomain | undefined> {
    return this.#find(this.#database.read, hostname);
  }

  async #find(db: Kysely<Schema>, hostname: string): Promise<HostDomain | undefined> {
    const { rows } = await db.executeQuery(this.#byHostname(hostname));
    const [row] = rows;
    return row && { id: row.id, isActive: row.is_active === 1 };
  }
}

export interface DomainPage {
  readonly total: number;
  readonly domains: readonly Domain[];
}

/** Returns one page, newest first, and the number of all matches. */
export async function listDomains(
  { read }: Database,
  organizationId: string,
  { limit, offset, ...filter }: DomainFilter,
): Promise<DomainPage> {
  const [total, rows] = await Promise.all([
    count(read, organizationId, filter),
    selectDomains(read, organizationId, filter)
      .select(domainColumns)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute(),
  ]);
  return { total, domains: rows.map(domainOf) };
}

function refuse(code: ErrorCode, message: string) {
  return { refusal: { code, message } };
}

type Filter = Pick<DomainFilter, 'isActive' | 'hostname'>;

function selectDomains(
  db: Kysely<Schema>,
  organizationId: string,
  { isActive, hostname }: Filter = {},
) {
  return db
    .selectFrom('domains')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .$if(isActive !== undefined, (query) => query.where('is_active', '=', isActive ? 1 : 0))
    .$if(hostname !== undefined, (query) => query.where('hostname', '=', hostname ?? ''));
}

async function find(
  db: Kysely<Schema> | WriteTransaction,
  organizationId: string,
  id: string,
): Promise<Domain | undefined> {
  const row = await selectDomains(db, organizationId)
    .select(domainColumns)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && domainOf(row);
}

async function count(db: Kysely<Schema>, organizationId: string, filter?: Filter): Promise<number> {
  const { total } = await selectDomains(db, organizationId, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}
