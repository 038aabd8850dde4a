import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { Express, Router } from 'express';
import { pino } from 'pino';
import { v7 as newUuid } from 'uuid';
import { createAnalyticsModule } from './analytics/analytics-module.js';
import { journalRootOf } from './analytics/journal/journal-folder.js';
import { api } from './api/api.js';
import { createApp } from './api/create-app.js';
import { docsHandlers } from './api/docs/docs-handlers.js';
import { doAsCallerOf, type MountOptions } from './api/mount-routes.js';
import { auditHandlers } from './audit/audit-handlers.js';
import { newApiKey } from './auth/api-key-repository.js';
import { createAuthModule } from './auth/auth-module.js';
import { clientOf, newCredentials } from './auth/client-repository.js';
import { openPasswords } from './auth/passwords.js';
import { compatWords, mountCompat } from './compat/mount-compat.js';
import { type Config, readConfig } from './config.js';
import { ConfigError } from './config-error.js';
import { defaultScopes, firstClientScopes } from './contract/define-route.js';
import { nearestName } from './contract/nearest-name.js';
import { deleteExpired } from './deletion/delete-expired.js';
import { createDeletionService, urlEraser } from './deletion/erase-link.js';
import { createDomainModule } from './domains/domain-module.js';
import { hostnameReader } from './domains/domain-repository.js';
import { hideApi } from './domains/hide-api.js';
import { type IsOwnHost, ownHostTest } from './domains/hostname.js';
import { openFairQueue } from './fair-queue.js';
import { createErrorLog } from './health/error-log.js';
import { livenessRoute } from './health/health-contract.js';
import { createHealthModule, diskCheck } from './health/health-handlers.js';
import type { BackupFigures } from './health/server-metrics.js';
import { createHttpServer, defaultTimeLimits } from './http/create-http-server.js';
import { affordableConnections, type Listener, listen, listenForOperators } from './http/listen.js';
import { noteForwardedHeaders } from './http/note-forwarded-headers.js';
import { createRateLimiter } from './http/rate-limiter.js';
import { periodicService, type Service, stopAll } from './lifecycle.js';
import { openListReader } from './lists/open-list-reader.js';
import { createTxtResolver } from './network/dns-resolver.js';
import { publicHostOf, shortUrlOf } from './network/link-origins.js';
import { createSafeDns } from './network/safe-dns.js';
import { organizationHandlers } from './organizations/organization-handlers.js';
import { createOrganizationRepository } from './organizations/organization-repository.js';
import { readPlans } from './organizations/plans.js';
import { createVisitorPages } from './pages/visitor-pages.js';
import { createPeopleModule } from './people/people-module.js';
import { invitationUrlOf } from './people/session-cookie.js';
import { createMetadataModule } from './previews/metadata-module.js';
import { createQrModule } from './qr/qr-module.js';
import { redirectTo } from './redirect/domain-pages.js';
import { createRedirects } from './redirect/redirect-handler.js';
import { ruleTestHandlers } from './redirect/rule-test.js';
import type { ServerOptions, ShortyServer } from './server-options.js';
import type { RecordKind } from './storage/database.js';
import { hidePassword } from './storage/locate-database.js';
import { firstMigration } from './storage/migrations/apply-migrations.js';
import { openStorage } from './storage/open-storage.js';
import { unlockSecrets } from './storage/secrets.js';
import { createLinkPolicy } from './urls/blocked-hosts.js';
import { clearTargetMarks, findTargetErrors } from './urls/check-target.js';
import { reservedWords } from './urls/reserved-words.js';
import { createUrlModule } from './urls/url-module.js';
import { createWebhookModule } from './webhooks/webhook-module.js';

const noBackups: BackupFigures = { intervalMs: 0, lastSuccessAt: 0, failures: 0 };
const housekeepingEveryMs = 10 * 60_000;
// Other processes obey a suspension within a second. On PostgreSQL, the changes of nodes tell of one.
const linkPolicyEveryMs = { sqlite: 500, postgres: 60_000 } as const;
const linkPolicyPauseMs = 50;
// Open connections are closed after this time, because a stop must end within ten seconds.
const stopGraceMs = 8_000;
const adminStopGraceMs = 200;
const dnsTimeoutMs = 5_000;
// Each body may have 4 MB.
const largeBodyLimits = {
  name: 'request bodies',
  concurrency: 32,
  maxRunningPerOrganization: 4,
  maxWaiting: 2_048,
  maxWaitingPerOrganization: 256,
};

/** What changed in this process or on another node, by which caches evict. */
type Changes = Readonly<Record<RecordKind, [keys: readonly string[]]>> & {
  /** The rules of hosts, a takedown, or the suspension of an organization: any number of links. */
  readonly links: [];
  /** Changes of other nodes may be missing. */
  readonly stale: [];
};

/** Returns the addresses of the machine if the server listens on all of them, and may read them. */
function addressesOf(host: string): string[] {
  if (!['0.0.0.0', '::'].includes(host)) return [];
  try {
    const interfaces = Object.values(networkInterfaces());
    return interfaces.flatMap((all = []) => all.map(({ address }) => address));
  } catch {
    // A sandbox may forbid it, as units of systemd without AF_NETLINK do.
    return [];
  }
}

/** Returns where clients and visitors reach the server. */
function addressOf(config: Config, listener: string) {
  const url = config.baseUrl ?? listener;
  const { protocol, host } = new URL(url);
  const origins = { scheme: `${protocol}//`, shortDomain: config.shortDomain ?? host };
  const publicHost = new URL(config.publicHost ?? url).host;
  const isOwn = ownHostTest([origins.shortDomain, host, publicHost], addressesOf(config.host));
  return { url, origins, isOwn };
}

/**
 * Creates the server with its storage, features and HTTP listener. Without options, the database is in
 * memory and the server listens on a free port of the loopback interface.
 *
 * @example
 * ```ts
 * const server = createServer();
 * await server.start();
 * console.log(server.url, server.credentials);
 * await server.stop();
 * ```
 */
export function createServer(options: ServerOptions = {}): ShortyServer {
  const {
    clock = Date.now,
    logger = pino({ level: 'silent' }),
    droppedLogLines = () => 0,
    backupFigures = () => noBackups,
    isThreaded = false,
    timeLimits: changedLimits,
    resolveTxt,
    plans: _plans,
    ...settings
  } = options;
  // Addresses are checked as those of `shorty-server`.
  const defaults = readConfig({
    PORT: '0',
    SHORTY_DATABASE_URL: ':memory:',
    SHORTY_BASE_URL: settings.baseUrl,
    SHORTY_SHORT_DOMAIN: settings.shortDomain,
    SHORTY_PUBLIC_HOST: settings.publicHost,
  });
  const unknown = Object.keys(settings).find((name) => !Object.hasOwn(defaults, name));
  if (unknown !== undefined) {
    const near = nearestName(unknown, Object.keys(defaults));
    const hint = near === undefined ? '' : `: did you mean ${near}?`;
    throw new ConfigError(`${unknown} is not an option of createServer${hint}`);
  }
  const config: Config = { ...defaults, ...settings };
  const plans = options.plans ?? readPlans(config.plansPath);
  const usesThreads = isThreaded && config.databaseUrl !== ':memory:';
  const { databaseUrl, durability, databaseConnections } = config;
  const storage = { databaseUrl, durability };
  const database = openStorage({
    ...storage,
    databaseConnections,
    ignoreCase: config.ignoreCase,
    withoutCheckpoints: usesThreads,
  });
  let listener: Listener | undefined;
  let adminListener: Listener | undefined;
  let isStarted = false;
  let stopping: Promise<void> | undefined;
  let stopWatching: (() => Promise<void>) | undefined;
  // Without a configured address, it is that of the listener, whose port the system may choose.
  const unknownAddress = { url: '', origins: { scheme: '', shortDomain: '' }, isOwn: () => false };
  let address: ReturnType<typeof addressOf> = unknownAddress;
  const origins = () => address.origins;
  const isOwnHost: IsOwnHost = (...host) => address.isOwn(...host);

  const reserved = reservedWords(
    api,
    config.compat.map((name) => compatWords[name]),
  );
  const isReserved = (word: string) => reserved.has(word.toLowerCase());
  const organizations = createOrganizationRepository(database);
  const findByHostname = hostnameReader(database.read);
  const errorLog = createErrorLog(logger);
  const { noteRequest: onRequestError } = errorLog;
  const onCallbackError = (error: unknown) => errorLog.note('callback', error);
  const basis = { database, storage, isThreaded: usesThreads, logger };
  const { lists, ...listReader } = openListReader(basis);
  const passwords = openPasswords(basis);
  const changes = new EventEmitter<Changes>();
  const onLinksChanged = () => {
    changes.emit('links');
  };
  const linkPolicy = createLinkPolicy(database, onLinksChanged);
  const safeDns = config.safeDns && createSafeDns(config.safeDns, config.dnsServers);
  const shared = {
    ...basis,
    safeDns,
    ...lists,
    config,
    plans,
    clock,
    organizations,
    findByHostname,
    passwords,
    linkPolicy,
    origins,
    isOwnHost,
    isReserved,
    pagesFor: createVisitorPages(config),
    ignoreCase: config.ignoreCase,
    allowPrivateNetwork: config.allowPrivateNetwork,
    findTargetErrors: findTargetErrors.bind(undefined, {
      findByHostname,
      isOwnHost,
      findBlockedHost: linkPolicy.findBlockedHost,
      safeDns,
    }),
    onRequestError,
  };
  const people = createPeopleModule({
    ...shared,
    publicUrl: () => address.url,
    oidc: config.oidc,
    servesAdministration: config.operatorKey !== undefined && config.adminListen === undefined,
    defaultOrganization: () => organizations.findFirst(),
  });
  const { auth, ...authModule } = createAuthModule({
    ...shared,
    findSession: people.findCaller,
    operatorKey: config.operatorKey,
    hasOrganization: async (id) => (await organizations.find(id)) !== undefined,
  });
  const webhooks = createWebhookModule(shared);
  const { outbox } = webhooks;
  const domains = createDomainModule({
    ...shared,
    outbox,
    resolveTxt:
      resolveTxt ?? createTxtResolver({ servers: config.dnsServers, timeoutMs: dnsTimeoutMs }),
    shortDomain: () => origins().shortDomain,
    platformSettings: {
      rootUrl: config.rootUrl ?? null,
      notFoundUrl: config.notFoundUrl ?? null,
      expiredUrl: config.expiredUrl ?? null,
      ignoreCase: config.ignoreCase,
    },
    onSettingsChanged: (organizationId) => changes.emit('organizations', [organizationId]),
  });
  changes.on('links', () => domains.hosts.clear());
  // A change of one domain evicts all hosts, because domains are few and change rarely.
  changes.on('hosts', () => domains.hosts.clear());
  const findOrganization = (host: string | undefined) => domains.hosts.findOrganization(host);
  const metadata = createMetadataModule(shared);
  const urls = createUrlModule({
    ...shared,
    fetchTitle: metadata.fetchTitle,
    onHostsChanged: linkPolicy.refresh,
    outbox,
    onChanged: (ids) => changes.emit('urls', ids.map(String)),
  });
  const analytics = createAnalyticsModule({
    ...shared,
    outbox,
    getUrl: urls.urls.get,
    async findUrls(owner, ids) {
      const found = await urls.urls.findMany(owner, ids);
      return found.map((url) => ({
        id: url.id,
        shortCode: url.shortCode,
        shortUrl: shortUrlOf(origins(), url),
      }));
    },
    onEvents: webhooks.wake,
    onCallbackError,
  });
  const eraseUrl = urlEraser({
    database,
    record: urls.record,
    eraseVisits: analytics.eraseVisits,
    onErased(id, qrIds) {
      changes.emit('urls', [String(id)]);
      changes.emit('pictures', qrIds);
    },
  });
  const qrs = createQrModule({
    ...shared,
    outbox,
    urls: urls.urls,
    publicHost: (shortUrl) => publicHostOf(origins(), config.publicHost, shortUrl),
    countDownload: analytics.countDownload,
    findOrganization,
  });
  changes.on('links', () => qrs.cache.clear());
  changes.on('pictures', (ids) => qrs.cache.invalidate(ids));
  const timeLimits = { ...defaultTimeLimits, ...changedLimits };
  const largeBodies = openFairQueue(largeBodyLimits);
  const queues = [
    largeBodies,
    metadata.queue,
    ...[listReader, passwords, analytics, qrs, domains].flatMap((each) => each.queues),
  ];
  const journalRoot = journalRootOf(config);
  const health = createHealthModule({
    database,
    operations: api.map(({ operationId }) => operationId),
    lifecycleError() {
      if (stopping !== undefined) return 'The server is stopping';
      return isStarted ? undefined : 'The server is starting';
    },
    diskError: journalRoot === undefined ? async () => undefined : diskCheck(journalRoot),
    visitError: analytics.storageError,
    visitFigures: analytics.figures,
    countriesBuiltAt: analytics.countriesBuiltAt,
    dispatchFigures: webhooks.figures,
    threads: () =>
      [listReader, passwords, webhooks, analytics, qrs].flatMap((each) => each.threads),
    // Not among `queues`: requests that are running during a stop still write.
    queues: [...queues, ...database.writeQueues],
    errorLog,
    droppedLogLines,
    backupFigures,
    uncheckedTargets: () => safeDns?.unanswered ?? 0,
  });
  const rateLimiterOf = (perMinute: number, rule: string) =>
    perMinute > 0 ? createRateLimiter(perMinute, rule) : undefined;
  const redirects = createRedirects({
    ...shared,
    urls: urls.urls,
    hosts: domains.hosts,
    visits: analytics.visits,
    readRecentClicks: analytics.readRecentClicks,
    onResponse: health.onLinkResponse,
  });
  changes.on('links', () => redirects.cache.clear());
  changes.on('stale', () => redirects.cache.markStale());
  changes.on('urls', (ids) => redirects.cache.invalidate(ids.map(Number)));
  changes.on('organizations', (ids) => redirects.cache.invalidateOrganizations(ids));
  const policyService = periodicService({
    everyMs: linkPolicyPauseMs,
    idleEveryMs: linkPolicyEveryMs[database.engine],
    async tick() {
      await linkPolicy.refresh();
      return false;
    },
    onError: (err) => logger.error({ err }, 'cannot read changes of the link policy'),
  });
  changes.on('policy', () => policyService.wake());
  changes.on('stale', () => policyService.wake());
  const deletionService = createDeletionService(database, clock, logger);
  changes.on('links', () => deletionService.wake());
  const appOptions = {
    ...shared,
    onFinished: health.onFinished,
    auth,
    newId: newUuid,
    publicUrl: () => address.url,
    provider: people.provider,
    mountCompat(app: Express, mountOptions: MountOptions) {
      mountCompat(app, config.compat, onRequestError, {
        doAsCaller: doAsCallerOf(mountOptions),
        origins,
        findDomain: async (host) => domains.hosts.find(host),
      });
    },
    mountVisitorPages(pages: Router) {
      redirects.domainPages.mount(pages, redirects.respondUnknown);
      qrs.mountImages(pages);
    },
    hideApi: hideApi({
      findOrganization,
      respondUnknown: redirects.respondUnknown,
      livenessPath: livenessRoute.path,
    }),
    refuseVisitor(response: ServerResponse, showPage: () => void) {
      redirects.domainPages
        .findUrl(response.req, 'notFoundUrl')
        .then(
          (target) => (target === undefined ? showPage() : redirectTo(response, target)),
          showPage,
        );
    },
    rateLimiter: rateLimiterOf(config.rateLimit, 'An organization may make'),
    publicRateLimiter: rateLimiterOf(
      config.tokenRateLimit,
      'An address may send the token endpoint',
    ),
    bodies: { largeBodies, maxMs: timeLimits.body },
    countCall: analytics.countCall,
    handlers: {
      ...authModule.handlers,
      ...people.handlers,
      ...auditHandlers(lists),
      ...urls.handlersWith({ eraseUrl }),
      ...metadata.handlers,
      ...ruleTestHandlers({ getUrl: urls.urls.get, clock }),
      ...analytics.handlers,
      ...qrs.handlers,
      ...webhooks.handlers,
      ...domains.handlers,
      ...organizationHandlers({
        ...shared,
        onChanged: onLinksChanged,
        onAddressesChanged: (id) => changes.emit('organizations', [id]),
      }),
      ...docsHandlers,
      ...health.handlers,
    },
  };
  const http = createHttpServer({
    app: createApp(appOptions, config.adminListen ? 'public' : 'both'),
    // Redirects come first, because most requests are redirects.
    handlers: [noteForwardedHeaders(config.trustedProxies, logger), redirects.handle],
    onRequestError,
    timeLimits,
  });
  const services: readonly Service[] = [
    ...urls.services,
    periodicService({
      everyMs: housekeepingEveryMs,
      tick: (signal) => deleteExpired(database, { ...config, now: clock() }, signal),
      onError: (err) => logger.error({ err }, 'housekeeping failed'),
    }),
    policyService,
    deletionService,
    ...webhooks.services,
  ];

  /** What is known of the server after its start. */
  const server = {
    url: '',
    adminUrl: undefined as ShortyServer['adminUrl'],
    credentials: undefined as ShortyServer['credentials'],
    apiKey: undefined as ShortyServer['apiKey'],
    invitationUrl: undefined as ShortyServer['invitationUrl'],
  };

  async function startUp(): Promise<void> {
    database.lockForServer(clock());
    const applied = await database.migrate();
    if (applied.includes(firstMigration)) {
      logger.info({ database: hidePassword(databaseUrl) }, 'created a new database');
    }
    await unlockSecrets(database, config);
    await organizations.requirePlans(plans);
    if (!safeDns) await clearTargetMarks(database);
    await linkPolicy.refresh();
    await analytics.start();
    stopWatching = await database.watchChanges?.({
      onChange: (kind, key) => changes.emit(kind, [key]),
      onMissed() {
        changes.emit('stale');
        qrs.cache.clear();
      },
      onSilence: () => changes.emit('stale'),
      onError: (err) => logger.error({ err }, 'cannot read changes of other nodes'),
    });
    if (config.adminListen) {
      const admin = createHttpServer({
        app: createApp(appOptions, 'admin'),
        handlers: [],
        onRequestError,
        timeLimits,
      });
      adminListener = await listenForOperators(admin, config.adminListen);
      server.adminUrl = adminListener.origin;
    }
    listener = await listen(http, config, affordableConnections(config.maxConnections));
    address = addressOf(config, listener.origin);
    server.url = address.url;
    analytics.startIngest();
    // Last, because an earlier failure of the start would lose the credentials.
    const first = config.credentials ?? newCredentials();
    const id = newUuid();
    // The first organization belongs to the operator, who has no limits.
    const createdAt = clock();
    // Nothing of what the operator has configured is shown, so a key would be lost.
    const firstKey = config.credentials
      ? undefined
      : newApiKey({
          organizationId: id,
          name: 'first start',
          scopes: defaultScopes,
          domainId: null,
          onlyOwnLinks: false,
          createdBy: first.clientId,
          createdAt,
          expiresAt: null,
        });
    const isFirst = await organizations.createFirst(
      { id, name: 'default', plan: 'enterprise', createdAt },
      clientOf(id, first, firstClientScopes),
      firstKey,
    );
    if (isFirst) {
      server.credentials = first;
      server.apiKey = firstKey?.key;
      const invited = config.dashboard ? await people.inviteOwner(id) : undefined;
      server.invitationUrl = invited && invitationUrlOf(address.url, invited, null);
    }
    for (const each of services) each.start();
    isStarted = true;
  }

  async function shutDown(): Promise<void> {
    // Queued requests are refused; running ones may finish.
    for (const queue of queues) queue.close();
    // Its attempts in flight end while requests do. `stopAll` waits for the same stop, and reports its error.
    webhooks.stopDispatcher().catch(() => {});
    webhooks.answerWaiting();
    await listener?.stop(stopGraceMs);
    // Stopped after the public listener, so that /health/ready reports the stop until then.
    await adminListener?.stop(adminStopGraceMs);
    metadata.stop();
    await stopAll(services);
    await stopWatching?.();
    const stops = [analytics, qrs, passwords, listReader].map((each) => each.stop());
    await Promise.all(stops).finally(() => database.close());
  }

  const stop = () => {
    stopping ??= shutDown();
    return stopping;
  };

  return Object.assign(server, {
    database,
    start: () =>
      startUp().catch(async (error: unknown) => {
        await stop().catch((err: unknown) =>
          logger.error({ err }, 'stopping a failed start failed'),
        );
        throw error;
      }),
    stop,
    noteUncaughtError: (error: unknown) => errorLog.note('process', error),
    expireUrls: () => urls.expire(),
    async checkTargets() {
      while (await urls.scanTargets());
    },
  });
}
