import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import {
  ApiError,
  fieldError,
  invalidField,
  notFound,
  shorten,
  validationError,
} from '../contract/api-error.js';
import type { LinkOwner } from '../contract/caller.js';
import type { ErrorDetail } from '../contract/errors.js';
import type { ReadPage } from '../contract/json-text.js';
import type { EventOutbox } from '../events/event-outbox.js';
import { openFairQueue } from '../fair-queue.js';
import type { HandlersOf } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import { refuseTooMany } from '../idempotency/refuse-too-many.js';
import {
  findStoredResult,
  type IdempotentResult,
  Refusal,
  type WriteContext,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import type { ResolveTxt } from '../ports.js';
import { checkIfMatch, nextUpdatedAt } from '../preconditions/if-match.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { foldKeys } from '../storage/fold-keys.js';
import { bulkInsert, findWhere, updateWhere } from '../storage/statements.js';
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
  findDomain,
  settingColumns,
  toDomainRecord,
} from './domain-repository.js';
import { createHostResolver, type HostResolverOptions } from './host-resolver.js';
import { hostnameOf } from './hostname.js';

export interface DomainModuleOptions extends Omit<HostResolverOptions, 'onError'> {
  readonly database: Database;
  readonly outbox: EventOutbox;
  readonly listDomains: ReadPage<DomainRecord, DomainFilter>;
  readonly resolveTxt: ResolveTxt;
  /** Returns why one of the URLs of each request is refused, as a target of links would be. */
  readonly findTargetErrors: (
    requests: readonly (readonly { readonly path: string; readonly targetUrl: string }[])[],
  ) => Promise<(ErrorDetail | undefined)[]>;
  /** Called after each change of settings, before the response. */
  readonly onSettingsChanged: (organizationId: string) => void;
  readonly logger: Logger;
}

const challengeBytes = 24;

export function createDomainModule(options: DomainModuleOptions) {
  const { database, outbox, findByHostname, isOwnHost, clock, logger } = options;
  // Cleared after each committed change, before the response.
  const hosts = createHostResolver({
    ...options,
    onError: (err) => logger.error({ err }, 'host look-up failed'),
  });
  const lookUps = openFairQueue({
    name: 'DNS look-ups',
    concurrency: 32,
    maxRunningPerOrganization: 4,
    maxWaiting: 256,
    maxWaitingPerOrganization: 32,
  });
  const audit = ({ id }: Domain) => ({ type: 'domain', id }) as const;

  const reply = (status: 200 | 201, { result, replayed }: IdempotentResult<Domain>) => ({
    status,
    replayed,
    data: toDomainRecord(result),
  });

  async function getDomain(owner: LinkOwner, id: string): Promise<Domain> {
    const domain = await findDomain(database.read, owner, id);
    if (!domain) throw notFound('domain', id);
    return domain;
  }

  /** Changes a domain in a transaction, unless it does not exist or has another version. */
  function change(
    id: string,
    context: WriteContext,
    work: (transaction: WriteTransaction, before: Domain) => Promise<unknown>,
  ): Promise<IdempotentResult<Domain>> {
    return writeOnce(database, { ...context, audit }, async (transaction) => {
      const before = await findDomain(transaction, context, id);
      if (!before) throw new Refusal(notFound('domain', id));
      checkIfMatch(context.ifMatch, before.updatedAt);
      await work(transaction, before);
      // A deleted domain is not found.
      return (await findDomain(transaction, context, id)) ?? before;
    });
  }

  /**
   * Activates a domain, or stores why it was not verified. The first activation writes an event.
   * `checked` is the domain whose challenge was looked up; `error` is null when DNS has it.
   */
  function verify(checked: Domain, error: string | null, context: WriteContext) {
    const { id, hostname } = checked;
    const { organizationId, now } = context;
    return change(id, context, async (transaction, before) => {
      // It may have been deleted and restored with another challenge during the look-up.
      if (before.challenge !== checked.challenge) throw new Refusal(notFound('domain', id));
      if (before.isActive) return;
      const active = error === null && { hostname, is_active: 1 };
      const isTaken = active && (await findWhere(transaction, 'domains', active)) !== undefined;
      const lastError = isTaken
        ? `${hostname} is active in another organization of this server, which must delete it first`
        : error;
      const activation = {
        is_active: 1,
        verified_at: before.verifiedAt ?? now,
        updated_at: nextUpdatedAt(before.updatedAt, now),
      };
      const checks = { last_checked_at: now, last_error: lastError };
      const set = lastError === null ? { ...activation, ...checks } : checks;
      await updateWhere(transaction, 'domains', { id }, set);
      if (lastError !== null) {
        throw refusal(isTaken ? 'DOMAIN_CONFLICT' : 'DOMAIN_INVALID', lastError);
      }
      if (before.verifiedAt !== null) return;
      const data = toDomainRecord((await findDomain(transaction, context, id)) as Domain);
      const subject = { domainId: id };
      outbox.record(transaction, domainVerified, { organizationId, now, data, subject });
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

  const handlers: HandlersOf<typeof domainRoutes> = {
    async createDomain({ body: { hostname }, context }) {
      if (isOwnHost(hostname)) {
        const rule = "must not be this server's own name";
        throw fieldError('DOMAIN_INVALID', 'hostname', hostname, rule, '; add another host');
      }
      const challenge = `shorty-verification=${randomBytes(challengeBytes).toString('base64url')}`;
      const { organizationId, now } = context;
      const own = { organization_id: organizationId, hostname };
      const created = await writeOnce(database, { ...context, audit }, async (transaction) => {
        const existing = await findWhere(transaction, 'domains', own);
        if (existing?.deleted_at === null) {
          const message = `hostname "${hostname}" already exists as domain ${existing.id}`;
          throw refusal('DOMAIN_CONFLICT', message);
        }
        const live = sql`domains where organization_id = ${organizationId} and deleted_at is null`;
        await refuseTooMany(transaction, live, maxDomains, 'domains', 'Delete one first');
        // A domain of this hostname that was deleted is restored, with its links.
        const pending = { challenge, created_at: now, updated_at: now, deleted_at: null };
        const id = existing?.id ?? newUuid();
        if (existing) await updateWhere(transaction, 'domains', { id }, pending);
        else {
          await bulkInsert(transaction, 'domains', [{ id, ...own, is_active: 0, ...pending }]);
        }
        return (await findDomain(transaction, context, id)) as Domain;
      });
      return reply(201, created);
    },

    listDomains: ({ caller: { organizationId }, query }) =>
      replyWithPage(organizationId, query, options.listDomains),

    async getDomain({ caller, params }) {
      return { status: 200, data: toDomainRecord(await getDomain(caller, params.id)) };
    },

    async updateDomain({ caller, params: { id }, body, context }) {
      await checkUrls(body);
      try {
        const changed = await change(id, context, async (transaction, before) => {
          const set = settingColumns(body);
          if (Object.keys(set).length === 0) return;
          if (body.ignoreCase && !before.ignoreCase) await ignoreCase(transaction, id);
          const updated_at = nextUpdatedAt(before.updatedAt, context.now);
          await updateWhere(transaction, 'domains', { id }, { ...set, updated_at });
        });
        return reply(200, changed);
      } finally {
        // Also after an error, because the commit may have succeeded before the connection failed.
        hosts.clear();
        options.onSettingsChanged(caller.organizationId);
      }
    },

    async verifyDomain({ caller, params, context }) {
      // A repeated request gets the first result, even if DNS has changed.
      const first = await findStoredResult<Domain>(database, context.write);
      if (first) return reply(200, first);
      const domain = await getDomain(caller, params.id);
      const check = () => checkChallenge(options.resolveTxt, domain);
      const error = domain.isActive ? null : await lookUps.run(caller.organizationId, check);
      const verified = await verify(domain, error, { ...context, now: clock() });
      if (!domain.isActive) hosts.clear();
      return reply(200, verified);
    },

    async deleteDomain({ params: { id }, context }) {
      const deleted = await change(id, context, async (transaction, { hostname }) => {
        // Not a count: a domain may have a million links, and redirects wait for this query.
        if (await findWhere(transaction, 'urls', { domain_id: id, is_active: 1 })) {
          const message = `${hostname} has active links: pause or delete them, or move them to another domain first`;
          throw refusal('DOMAIN_CONFLICT', message);
        }
        // Its row stays, because inactive links refer to it.
        const ended = { is_active: 0, last_checked_at: null, last_error: null };
        await updateWhere(transaction, 'domains', { id }, { ...ended, deleted_at: context.now });
      });
      hosts.clear();
      return reply(200, deleted);
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

  return { hosts, handlers, queues: [lookUps] };
}

function refusal(code: 'DOMAIN_CONFLICT' | 'DOMAIN_INVALID', message: string): Refusal {
  return new Refusal(new ApiError(code, message));
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
