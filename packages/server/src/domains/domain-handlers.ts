import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { v7 as newUuid } from 'uuid';
import {
  ApiError,
  fieldError,
  invalidField,
  notFound,
  shorten,
  tooMany,
  validationError,
} from '../contract/api-error.js';
import type { ErrorDetail } from '../contract/errors.js';
import type { ReadPage } from '../contract/json-text.js';
import type { EventOutbox } from '../events/event-outbox.js';
import type { FairQueue } from '../fair-queue.js';
import type { HandlersOf } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import {
  findStoredResult,
  type IdempotentResult,
  Refusal,
  type WriteContext,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { Clock, ResolveTxt } from '../ports.js';
import { checkIfMatch, nextUpdatedAt } from '../preconditions/if-match.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { foldKeys } from '../storage/fold-keys.js';
import { checkChallenge } from './check-challenge.js';
import {
  type DomainFilter,
  type DomainUpdateRequest,
  type domainRoutes,
  domainVerified,
  maxDomains,
} from './domain-contract.js';
import {
  type Domain,
  type DomainRecord,
  domainUrls,
  type FindByHostname,
  findDomain,
  settingColumns,
  toDomainRecord,
} from './domain-repository.js';
import type { HostResolver } from './host-resolver.js';
import { hostnameOf, type IsOwnHost } from './hostname.js';

export interface DomainHandlerOptions {
  readonly database: Database;
  readonly outbox: EventOutbox;
  readonly listDomains: ReadPage<DomainRecord, DomainFilter>;
  readonly findByHostname: FindByHostname;
  /** Is cleared after each committed change, before the response. */
  readonly hosts: Pick<HostResolver, 'find' | 'clear'>;
  readonly lookUps: FairQueue;
  readonly resolveTxt: ResolveTxt;
  readonly isOwnHost: IsOwnHost;
  /** Returns why one of the URLs of each request is refused, as a target of links would be. */
  readonly findTargetErrors: (
    requests: readonly (readonly { readonly path: string; readonly targetUrl: string }[])[],
  ) => Promise<(ErrorDetail | undefined)[]>;
  /** Called after each change of settings, before the response. */
  readonly onSettingsChanged: (organizationId: string) => void;
  readonly clock: Clock;
}

const challengeBytes = 24;

export function domainHandlers(options: DomainHandlerOptions): HandlersOf<typeof domainRoutes> {
  const { database, outbox, findByHostname, hosts, lookUps, isOwnHost, clock } = options;

  async function getDomain(organizationId: string, id: string): Promise<Domain> {
    const domain = await findDomain(database.read, organizationId, id);
    if (!domain) throw notFound('domain', id);
    return domain;
  }

  function write(
    { organizationId, write }: WriteContext,
    work: (transaction: WriteTransaction) => Promise<Domain>,
  ): Promise<IdempotentResult<Domain>> {
    const audit = ({ id }: Domain) => ({ type: 'domain', id }) as const;
    return writeOnce(database, { organizationId, write, audit }, work);
  }

  /** Changes a domain in a transaction, unless it does not exist or has another version. */
  function change(
    id: string,
    context: WriteContext,
    work: (transaction: WriteTransaction, domain: Domain) => Promise<Domain>,
  ): Promise<IdempotentResult<Domain>> {
    return write(context, async (transaction) => {
      const domain = await findDomain(transaction, context.organizationId, id);
      if (!domain) throw new Refusal(notFound('domain', id));
      checkIfMatch(context.ifMatch, domain.updatedAt);
      return work(transaction, domain);
    });
  }

  /**
   * Activates a domain, or stores why it was not verified. The first activation writes an event.
   * `checked` is the domain whose challenge was looked up; `error` is null when DNS has it.
   */
  function verify(checked: Domain, error: string | null, context: WriteContext) {
    const { id, organizationId, hostname } = checked;
    const { now } = context;
    return write(context, async (transaction) => {
      const before = await findDomain(transaction, organizationId, id);
      // It may have been deleted and restored with another challenge during the look-up.
      if (before?.challenge !== checked.challenge) throw new Refusal(notFound('domain', id));
      if (before.isActive) return before;
      const active = transaction
        .selectFrom('domains')
        .select('id')
        .where('hostname', '=', hostname)
        .where('is_active', '=', 1);
      const isTaken = error === null && (await active.executeTakeFirst()) !== undefined;
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
        throw refusal(isTaken ? 'DOMAIN_CONFLICT' : 'DOMAIN_INVALID', lastError);
      }
      const domain = await readDomain(transaction, organizationId, id);
      if (before.verifiedAt === null) {
        const data = toDomainRecord(domain);
        const subject = { domainId: id };
        outbox.record(transaction, domainVerified, { organizationId, now, data, subject });
      }
      return domain;
    });
  }

  /** Throws VALIDATION_FAILED for a URL to which visitors are not led. */
  async function checkUrls(body: DomainUpdateRequest): Promise<void> {
    const targets = domainUrls.flatMap((path) => {
      const targetUrl = body[path];
      return targetUrl == null ? [] : [{ path, targetUrl }];
    });
    const [error] = await options.findTargetErrors([targets]);
    if (error) throw validationError([error]);
  }

  return {
    async createDomain({ caller: { organizationId }, body: { hostname }, write: request }) {
      if (isOwnHost(hostname)) {
        const rule = "must not be this server's own name";
        throw fieldError('DOMAIN_INVALID', 'hostname', hostname, rule, '; add another host');
      }
      const challenge = `shorty-verification=${randomBytes(challengeBytes).toString('base64url')}`;
      const now = clock();
      const context = { organizationId, now, write: request };
      const { result, replayed } = await write(context, async (transaction) => {
        const existing = await transaction
          .selectFrom('domains')
          .select(['id', 'deleted_at'])
          .where('organization_id', '=', organizationId)
          .where('hostname', '=', hostname)
          .executeTakeFirst();
        if (existing?.deleted_at === null) {
          const message = `hostname "${hostname}" already exists as domain ${existing.id}`;
          throw refusal('DOMAIN_CONFLICT', message);
        }
        const { total } = await transaction
          .selectFrom('domains')
          .select(({ fn }) => fn.countAll<number>().as('total'))
          .where('organization_id', '=', organizationId)
          .where('deleted_at', 'is', null)
          .executeTakeFirstOrThrow();
        if (Number(total) >= maxDomains) {
          throw new Refusal(tooMany(maxDomains, 'domains', 'Delete one first'));
        }
        const pending = { challenge, created_at: now, updated_at: now, deleted_at: null };
        const { id } = await transaction
          .insertInto('domains')
          .values({
            id: newUuid(),
            organization_id: organizationId,
            hostname,
            is_active: 0,
            ...pending,
          })
          // Restores a domain of this hostname that was deleted, with its links.
          .onConflict((conflict) =>
            conflict.columns(['organization_id', 'hostname']).doUpdateSet(pending),
          )
          .returning('id')
          .executeTakeFirstOrThrow();
        return readDomain(transaction, organizationId, id);
      });
      return { status: 201, replayed, data: toDomainRecord(result) };
    },

    listDomains: ({ caller: { organizationId }, query }) =>
      replyWithPage({ name: 'domains', organizationId }, query, options.listDomains),

    async getDomain({ caller, params }) {
      const domain = await getDomain(caller.organizationId, params.id);
      return { status: 200, data: toDomainRecord(domain) };
    },

    async updateDomain({ caller, params: { id }, body, write, ifMatch }) {
      const { organizationId } = caller;
      await checkUrls(body);
      const now = clock();
      const context = { organizationId, now, write, ifMatch };
      try {
        const { result, replayed } = await change(id, context, async (transaction, domain) => {
          const set = settingColumns(body);
          if (Object.keys(set).length === 0) return domain;
          if (body.ignoreCase && !domain.ignoreCase) await ignoreCase(transaction, id);
          await transaction
            .updateTable('domains')
            .set({ ...set, updated_at: nextUpdatedAt(domain.updatedAt, now) })
            .where('id', '=', id)
            .execute();
          return readDomain(transaction, organizationId, id);
        });
        return { status: 200, replayed, data: toDomainRecord(result) };
      } finally {
        // Also after an error, because the commit may have succeeded before the connection failed.
        hosts.clear();
        options.onSettingsChanged(organizationId);
      }
    },

    async verifyDomain({ caller: { organizationId }, params, write }) {
      // A repeated request gets the first result, even if DNS has changed.
      let verification = await findStoredResult<Domain>(database, write);
      if (!verification) {
        const domain = await getDomain(organizationId, params.id);
        const error = domain.isActive
          ? null
          : await lookUps.run(organizationId, () => checkChallenge(options.resolveTxt, domain));
        verification = await verify(domain, error, { organizationId, now: clock(), write });
        if (!domain.isActive) hosts.clear();
      }
      const { result, replayed } = verification;
      return { status: 200, replayed, data: toDomainRecord(result) };
    },

    async deleteDomain({ caller: { organizationId }, params: { id }, write, ifMatch }) {
      const now = clock();
      const context = { organizationId, now, write, ifMatch };
      const { result, replayed } = await change(id, context, async (transaction, domain) => {
        // Not a count: a domain may have a million links, and redirects wait for this query.
        const activeUrl = await transaction
          .selectFrom('urls')
          .select('id')
          .where('domain_id', '=', id)
          .where('is_active', '=', 1)
          .limit(1)
          .executeTakeFirst();
        if (activeUrl) {
          const message = `${domain.hostname} has active links: pause or delete them, or move them to another domain first`;
          throw refusal('DOMAIN_CONFLICT', message);
        }
        // Its row stays, because inactive links refer to it.
        await transaction
          .updateTable('domains')
          .set({ is_active: 0, deleted_at: now, last_checked_at: null, last_error: null })
          .where('id', '=', id)
          .execute();
        return domain;
      });
      hosts.clear();
      return { status: 200, replayed, data: toDomainRecord(result) };
    },

    async getTlsAllowed({ query, headers }) {
      const domain = hostnameOf(query.domain);
      const isPublic = isForwarded(headers) || (await hosts.find(headers.host)) !== null;
      const isServed = async () =>
        isOwnHost(domain) || (await findByHostname(domain))?.isActive === true;
      if (isPublic || !(await isServed())) {
        const message = `No links are served on the domain "${shorten(query.domain)}"`;
        throw new ApiError('NOT_FOUND', message);
      }
      return { status: 200, body: { domain } };
    },
  };
}

function refusal(code: 'DOMAIN_CONFLICT' | 'DOMAIN_INVALID', message: string): Refusal {
  return new Refusal(new ApiError(code, message));
}

async function readDomain(transaction: WriteTransaction, organizationId: string, id: string) {
  return (await findDomain(transaction, organizationId, id)) as Domain;
}

/** Folds the keys of a domain. Throws VALIDATION_FAILED if two links would have the same. */
async function ignoreCase(transaction: WriteTransaction, id: string): Promise<void> {
  const collisions = await foldKeys(transaction, id);
  if (collisions === undefined) return;
  throw invalidField('ignoreCase', `cannot be true: ${collisions} first`);
}

/** Returns whether a proxy has forwarded the request for a client. */
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
}
