import { type Kysely, sql } from 'kysely';
import { notFoundMessage, validationError } from '../contract/api-error.js';
import type { ErrorCode } from '../contract/error-codes.js';
import type { Page } from '../contract/fields.js';
import type { EventOutbox } from '../events/event-outbox.js';
import type { AuditTarget } from '../idempotency/audit-entry.js';
import {
  findStoredResult,
  type IdempotentResult,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { checkIfMatch, type IfMatch, nextUpdatedAt } from '../preconditions/if-match.js';
import type { Database, Schema, WriteTransaction } from '../storage/database.js';
import { describeCollisions, foldKeys } from '../storage/fold-keys.js';
import { allOf, readList } from '../storage/list-page.js';
import type { ListQuery } from '../storage/list-query.js';
import { type Domain, fromRow, selectDomains, toDomainRecord } from './domain.js';
import {
  type DomainFilter,
  type DomainUpdateRequest,
  domainVerified,
  maxDomains,
} from './domain-contract.js';
import { type AppLinkDocument, noSettings } from './domain-settings.js';

/** The result of a change, which is stored with its idempotency key. */
export type DomainOutcome =
  | { readonly domain: Domain }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string } };

/** A change of a domain. */
export interface DomainWrite {
  readonly now: number;
  readonly write: WriteRequest | undefined;
  /** The versions that the caller accepts; undefined accepts any. */
  readonly ifMatch?: IfMatch | undefined;
}

export const domainNotFound = (id: string) => refuse('NOT_FOUND', notFoundMessage('domain', id));

/** Stores custom domains. Every method is one transaction. Organizations do not see deleted domains. */
export class DomainRepository {
  readonly #database: Database;
  readonly #outbox: EventOutbox;

  constructor(database: Database, outbox: EventOutbox) {
    this.#database = database;
    this.#outbox = outbox;
  }

  /**
   * Creates a pending domain. When the organization had deleted a domain of this hostname, restores
   * that domain with its links.
   */
  create(
    domain: Pick<Domain, 'id' | 'organizationId' | 'hostname' | 'challenge'>,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<DomainOutcome>> {
    return writeOnce<DomainOutcome>(
      this.#database,
      domain.organizationId,
      write,
      async (transaction) => {
        const { organizationId, hostname, challenge } = domain;
        const existing = await transaction
          .selectFrom('domains')
          .select(['id', 'deleted_at'])
          .where('organization_id', '=', organizationId)
          .where('hostname', '=', hostname)
          .executeTakeFirst();
        if (existing?.deleted_at === null) {
          return refuse(
            'DOMAIN_CONFLICT',
            `hostname "${hostname}" already exists as domain ${existing.id}`,
          );
        }
        const { total } = await transaction
          .selectFrom('domains')
          .select(({ fn }) => fn.countAll<number>().as('total'))
          .where('organization_id', '=', organizationId)
          .where('deleted_at', 'is', null)
          .executeTakeFirstOrThrow();
        if (Number(total) >= maxDomains) {
          const limit = `An organization has at most ${maxDomains} domains, and ${maxDomains} exist`;
          return refuse('QUOTA_EXCEEDED', `${limit}. Delete one first`);
        }
        const pending = { challenge, created_at: now, updated_at: now, deleted_at: null };
        const { id } = await transaction
          .insertInto('domains')
          .values({
            id: domain.id,
            organization_id: organizationId,
            hostname,
            is_active: 0,
            ...pending,
          })
          .onConflict((conflict) =>
            conflict.columns(['organization_id', 'hostname']).doUpdateSet(pending),
          )
          .returning('id')
          .executeTakeFirstOrThrow();
        return { domain: await getDomain(transaction, organizationId, id) };
      },
      { audit: auditOf },
    );
  }

  find(organizationId: string, id: string): Promise<Domain | undefined> {
    return findDomain(this.#database.read, organizationId, id);
  }

  /** Returns the result of an earlier request with this idempotency key. */
  findFirstVerification(
    request: WriteRequest,
  ): Promise<IdempotentResult<DomainOutcome> | undefined> {
    return findStoredResult(this.#database.read, request);
  }

  /**
   * Activates a domain, or stores why it was not verified. The first activation writes an event.
   * `checked` is the domain whose challenge was looked up; `error` is null when DNS has it.
   */
  verify(
    checked: Pick<Domain, 'id' | 'organizationId' | 'hostname' | 'challenge'>,
    error: string | null,
    now: number,
    write: WriteRequest | undefined,
  ): Promise<IdempotentResult<DomainOutcome>> {
    return writeOnce<DomainOutcome>(
      this.#database,
      checked.organizationId,
      write,
      async (transaction) => {
        const { id, organizationId, hostname } = checked;
        const before = await findDomain(transaction, organizationId, id);
        // It may have been deleted and restored with another challenge during the look-up.
        if (before?.challenge !== checked.challenge) return domainNotFound(id);
        if (before.isActive) return { domain: before };
        const owners = error === null ? await findDomainsOf(transaction, [hostname]) : undefined;
        const isTaken = owners?.get(hostname)?.is_active === 1;
        const lastError = isTaken
          ? `${hostname} is active in another organization of this server, which must delete it first`
          : error;
        await transaction
          .updateTable('domains')
          .set({
            is_active: lastError === null ? 1 : 0,
            ...(lastError === null && {
              verified_at: before.verifiedAt ?? now,
              updated_at: nextUpdatedAt(before.updatedAt, now),
            }),
            last_checked_at: now,
            last_error: lastError,
          })
          .where('id', '=', id)
          .execute();
        if (lastError !== null) {
          return refuse(isTaken ? 'DOMAIN_CONFLICT' : 'DOMAIN_INVALID', lastError);
        }
        const domain = await getDomain(transaction, organizationId, id);
        if (before.verifiedAt === null) {
          this.#outbox.record(transaction, organizationId, domainVerified, now, [
            { data: toDomainRecord(domain), subject: { domainId: domain.id } },
          ]);
        }
        return { domain };
      },
      { audit: auditOf },
    );
  }

  /** Changes settings. A missing one stays; null clears it. */
  update(
    organizationId: string,
    id: string,
    patch: DomainUpdateRequest,
    context: DomainWrite,
  ): Promise<IdempotentResult<DomainOutcome>> {
    return this.#change(organizationId, id, context, async (transaction, domain) => {
      const set = toColumns(patch);
      if (Object.keys(set).length === 0) return { domain };
      if (patch.ignoreCase && !domain.ignoreCase) await ignoreCase(transaction, id);
      const updated_at = nextUpdatedAt(domain.updatedAt, context.now);
      await transaction
        .updateTable('domains')
        .set({ ...set, updated_at })
        .where('id', '=', id)
        .execute();
      return { domain: await getDomain(transaction, organizationId, id) };
    });
  }

  /** Deletes a domain that has no active links. Its row stays, because inactive links refer to it. */
  delete(
    organizationId: string,
    id: string,
    context: DomainWrite,
  ): Promise<IdempotentResult<DomainOutcome>> {
    return this.#change(organizationId, id, context, async (transaction, domain) => {
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
        .set({ is_active: 0, deleted_at: context.now, last_checked_at: null, last_error: null })
        .where('id', '=', id)
        .execute();
      return { domain };
    });
  }

  /** Changes a domain in a transaction, unless it does not exist or has another version. */
  #change(
    organizationId: string,
    id: string,
    { write, ifMatch }: DomainWrite,
    change: (transaction: WriteTransaction, domain: Domain) => Promise<DomainOutcome>,
  ): Promise<IdempotentResult<DomainOutcome>> {
    const work = async (transaction: WriteTransaction) => {
      const domain = await findDomain(transaction, organizationId, id);
      if (!domain) return domainNotFound(id);
      checkIfMatch(ifMatch, domain.updatedAt);
      return change(transaction, domain);
    };
    return writeOnce<DomainOutcome>(this.#database, organizationId, write, work, {
      audit: auditOf,
    });
  }

  /** Returns the domain that serves the links of a hostname, as `findDomainsOf` does. */
  async findByHostname(hostname: string) {
    const row = await this.#database.read
      .selectFrom('domains')
      .innerJoin('organizations', 'organizations.id', 'organization_id')
      .select(['domains.id', 'organization_id as organizationId', 'is_active as isActive'])
      .select(['root_url as rootUrl', 'not_found_url as notFoundUrl', 'expired_url as expiredUrl'])
      .select(['ignore_case as ignoreCase', 'suspended_at as suspendedAt'])
      .where('verified_at', 'is not', null)
      .where('hostname', '=', hostname)
      .orderBy('is_active', 'desc')
      .orderBy('verified_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (!row) return undefined;
    const { id, organizationId, rootUrl, notFoundUrl, expiredUrl } = row;
    const isActive = row.isActive === 1;
    const settings =
      isActive && row.suspendedAt === null
        ? { rootUrl, notFoundUrl, expiredUrl, ignoreCase: row.ignoreCase === 1 }
        : noSettings;
    return { id, organizationId, isActive, settings };
  }

  /** Returns a document of an active domain as JSON. */
  async findDocument(id: string, document: AppLinkDocument): Promise<string | null> {
    const row = await this.#database.read
      .selectFrom('domains')
      .innerJoin('organizations', 'organizations.id', 'organization_id')
      .select([
        'apple_app_site_association as appleAppSiteAssociation',
        'asset_links as assetLinks',
      ])
      .where('domains.id', '=', id)
      .where('is_active', '=', 1)
      .where('suspended_at', 'is', null)
      .executeTakeFirst();
    return row?.[document] ?? null;
  }

  /** Returns whether an organization has a domain of this hostname, pending ones included. */
  async hasHostname(organizationId: string, hostname: string): Promise<boolean> {
    const domains = selectDomains(this.#database.read, organizationId);
    return (await domains.where('hostname', '=', hostname).executeTakeFirst()) !== undefined;
  }
}

/** Folds the keys of a domain. Throws VALIDATION_FAILED if two links would have the same. */
async function ignoreCase(transaction: WriteTransaction, id: string): Promise<void> {
  const collisions = await foldKeys(transaction, id);
  if (collisions.length === 0) return;
  const message = `cannot be true: links differ only in the case of their keys: ${describeCollisions(collisions)}. Erase one of each pair first`;
  throw validationError([{ path: 'ignoreCase', message }]);
}

function auditOf(outcome: DomainOutcome): AuditTarget | null {
  return 'domain' in outcome ? { type: 'domain', id: outcome.domain.id } : null;
}

/** Returns one page of domains, newest first. */
export function listDomains(
  database: Database,
  organizationId: string,
  { isActive, hostname, ...range }: DomainFilter,
): Promise<Page<Domain>> {
  const conditions = [
    ...(isActive === undefined ? [] : [sql`is_active = ${isActive ? 1 : 0}`]),
    ...(hostname === undefined ? [] : [sql`hostname = ${hostname}`]),
  ];
  const list: ListQuery = {
    table: 'domains',
    owner: { column: 'organization_id', value: organizationId },
    indexed: sql`deleted_at is null`,
    condition: conditions.length === 0 ? undefined : allOf(...conditions),
    ...range,
  };
  return readList<string, Domain>(database, list, async (ids) => {
    const domains = selectDomains(database.read, organizationId);
    return (await domains.where('id', 'in', ids).execute()).map(fromRow);
  });
}

/**
 * Returns for each hostname the domain that serves its links: the active one, or else the one that was
 * verified last. Includes deleted domains, because links that have moved keep their keys there.
 */
export async function findDomainsOf(db: Kysely<Schema>, hostnames: readonly string[]) {
  const query = db
    .selectFrom('domains')
    .select(['id', 'organization_id', 'hostname', 'is_active'])
    .where('verified_at', 'is not', null)
    .where('hostname', 'in', hostnames)
    // The last row of a hostname is the one that serves its links.
    .orderBy('is_active')
    .orderBy('verified_at');
  const rows = hostnames.length === 0 ? [] : await query.execute();
  return new Map(rows.map((row) => [row.hostname, row]));
}

/** The columns of the settings. */
const columns = {
  rootUrl: 'root_url',
  notFoundUrl: 'not_found_url',
  expiredUrl: 'expired_url',
  ignoreCase: 'ignore_case',
  forwardQuery: 'forward_query',
  forwardPath: 'forward_path',
  appleAppSiteAssociation: 'apple_app_site_association',
  assetLinks: 'asset_links',
} as const satisfies Record<keyof DomainUpdateRequest, keyof Schema['domains']>;

function toColumns(patch: DomainUpdateRequest) {
  const set: Record<string, string | number | null> = {};
  for (const [name, value] of Object.entries(patch)) {
    if (value !== undefined) set[columns[name as keyof typeof columns]] = toColumn(value);
  }
  return set;
}

function toColumn(value: string | boolean | object | null) {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

async function findDomain(
  db: Kysely<Schema>,
  organizationId: string,
  id: string,
): Promise<Domain | undefined> {
  const row = await selectDomains(db, organizationId).where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

async function getDomain(db: Kysely<Schema>, organizationId: string, id: string): Promise<Domain> {
  return (await findDomain(db, organizationId, id)) as Domain;
}

function refuse(code: ErrorCode, message: string) {
  return { refusal: { code, message } };
}
