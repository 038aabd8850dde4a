import { randomBytes } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { v7 as newUuid } from 'uuid';
import { AuthService, type Credentials, clientOf } from './auth/auth-service.js';
import { ClientRepository } from './auth/client-repository.js';
import { tokenHandlers } from './auth/token-handlers.js';
import { ChunkRepository } from './clicks/chunk-repository.js';
import { clickHandlers } from './clicks/click-handlers.js';
import { ClickReader } from './clicks/click-reader.js';
import { ClickReportsThread } from './clicks/click-reports.js';
import { ClickService } from './clicks/click-service.js';
import { toCallLine, toDownloadLine } from './clicks/journal-lines.js';
import { loadSecretKey } from './clicks/secret-key.js';
import { VisitPipeline } from './clicks/visit-pipeline.js';
import { VisitRecorder } from './clicks/visit-recorder.js';
import { VisitRepository } from './clicks/visit-repository.js';
import { type Config, readConfig } from './config.js';
import { api } from './contract/api.js';
import { DomainRepository } from './domains/domain-repository.js';
import { HostResolver } from './domains/host-resolver.js';
import { EventOutbox } from './events/event-outbox.js';
import { healthHandlers } from './health/health-handlers.js';
import { createHttpServer } from './http/create-http-server.js';
import { type Listener, listen } from './http/listen.js';
import { forgetOldKeys } from './idempotency/forget-old-keys.js';
import { PeriodicService, type Service, stopAll } from './lifecycle.js';
import { createGuardedFetch } from './net/guarded-fetch.js';
import { OrganizationRepository } from './organizations/organization-repository.js';
import { type PlanTable, standardPlans } from './organizations/plans.js';
import type { Clock } from './ports.js';
import { openQrStudio } from './qr/drawing/qr-studio.js';
import { logoFetcher } from './qr/fetch-logo.js';
import { qrHandlers } from './qr/qr-handlers.js';
import { toPicture } from './qr/qr-picture.js';
import { QrPictureCache } from './qr/qr-picture-cache.js';
import { QrPictureHandler } from './qr/qr-picture-handler.js';
import { QrRepository } from './qr/qr-repository.js';
import { QrService } from './qr/qr-service.js';
import { AttemptLimiter } from './redirect/attempt-limiter.js';
import { toLink } from './redirect/link.js';
import { LinkCache } from './redirect/link-cache.js';
import { RedirectHandler } from './redirect/redirect-handler.js';
import { scanHandlers } from './scans/scan-handlers.js';
import { ScanRepository } from './scans/scan-repository.js';
import { ScanService } from './scans/scan-service.js';
import type { Database } from './storage/database.js';
import { openStorage } from './storage/open-storage.js';
import { type LinkOrigins, publicHostOf, toRecord } from './urls/present-url.js';
import { reservedWords } from './urls/reserved-words.js';
import { shortCodeMaker } from './urls/short-code.js';
import { expireUrls } from './urls/url-expiry.js';
import { urlHandlers } from './urls/url-handlers.js';
import { UrlRepository } from './urls/url-repository.js';
import { UrlService } from './urls/url-service.js';
import { usageHandlers } from './usage/usage-handlers.js';
import { UsageRepository } from './usage/usage-repository.js';
import { UsageService } from './usage/usage-service.js';
import { createVisitDescriber } from './visits/describe-visit.js';
import { openCountryDatabase } from './visits/find-country.js';
import { createDispatcher } from './webhooks/create-dispatcher.js';
import { DeliveryPruner } from './webhooks/delivery-pruner.js';
import { DeliveryRepository } from './webhooks/delivery-repository.js';
import { DispatcherThread } from './webhooks/dispatcher-thread.js';
import { webhookHandlers } from './webhooks/webhook-handlers.js';
import { WebhookRepository } from './webhooks/webhook-repository.js';
import { WebhookService } from './webhooks/webhook-service.js';

export interface ServerOptions extends Partial<Config> {
  /** Milliseconds since 1970; for tests that travel in time. */
  readonly clock?: Clock;
  /** Moves visits into storage in a thread of its own. Needs the build, and a database file. */
  readonly isThreaded?: boolean;
  readonly logger?: Logger;
  /** What the plans include and cost; the specified ones when left out. */
  readonly plans?: PlanTable;
}

export interface ShortyServer {
  /** The API's public origin, without a slash at the end. Known once the server has started. */
  readonly url: string;
  /** Credentials that this start has made for an empty database; undefined for any other. */
  readonly credentials: Credentials | undefined;
  readonly database: Database;
  /** Brings storage up to date and listens. */
  start(): Promise<void>;
  /** Stops accepting, finishes what is under way and closes. May be called twice. */
  stop(): Promise<void>;
  /** Turns links whose time has come inactive, as the server does every second; how many. */
  expireUrls(): Promise<number>;
}

const cachedLinks = 100_000;
const cachedPictureBytes = 64 * 1024 * 1024;
const passwordAttempts = { attempts: 10, windowMs: 10 * 60_000 };
const expiryEveryMs = 1_000;
const housekeepingEveryMs = 10 * 60_000;
// What is still under way after this long is cut off, so that a stop ends within ten seconds.
const stopGraceMs = 8_000;

/**
 * The whole server in this process: storage, rooms, HTTP. Without options it keeps everything in
 * memory and listens on a free port of the loopback interface.
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
    isThreaded = false,
    plans = standardPlans,
    ...settings
  } = options;
  const config: Config = {
    ...readConfig({ PORT: '0', SHORTY_DATABASE_URL: ':memory:' }),
    ...settings,
  };
  const hasThreads = isThreaded && config.databasePath !== ':memory:';
  const storage = { databasePath: config.databasePath, durability: config.durability };
  const database = openStorage({ ...storage, leavesCheckpoints: hasThreads });
  let url = '';
  let credentials: Credentials | undefined;
  let listener: Listener | undefined;
  let stopping: Promise<void> | undefined;
  // Known once the port is.
  let places: LinkOrigins = { scheme: '', shortDomain: '' };
  const origins = () => places;

  const reserved = reservedWords(api);
  const isReserved = (word: string) => reserved.has(word.toLowerCase());
  const clients = new ClientRepository(database);
  const organizations = new OrganizationRepository(database);
  const domains = new DomainRepository(database);
  const dispatching = {
    schedule: config.webhookRetrySchedule,
    allowPrivateNetwork: config.allowPrivateNetwork,
  };
  const onDeliveryError = (err: unknown) => logger.error({ err }, 'webhooks are not dispatched');
  const dispatcher = hasThreads
    ? new DispatcherThread({ storage, settings: dispatching, onError: onDeliveryError })
    : createDispatcher(database, dispatching, clock, onDeliveryError);
  const wakeDispatcher = () => dispatcher.wake();
  const outbox = new EventOutbox(database, { newId: newUuid, onDeliveries: wakeDispatcher, plans });
  const visits = new VisitRepository(database, { outbox, thresholds: config.thresholds });
  const reportsThread = hasThreads ? new ClickReportsThread(storage) : undefined;
  const reports = reportsThread ?? new ClickReader(database);
  let pipeline: VisitPipeline | undefined;
  let recorder: VisitRecorder | undefined;
  const urls = new UrlRepository(database, {
    outbox,
    plans,
    describe: (shortUrl, now) => toRecord(origins(), shortUrl, now),
  });
  const cache = new LinkCache({
    max: cachedLinks,
    load: async (domainId, key) => {
      const found = await urls.findByKey(domainId, key);
      return found && toLink(found);
    },
  });
  const auth = new AuthService(clients, { clock, randomBytes });
  const service = new UrlService({
    urls,
    clock,
    newShortCode: shortCodeMaker(randomBytes, isReserved),
    isReserved,
    onChanged: (ids) => cache.invalidate(ids),
  });
  const qrs = new QrRepository(database, { outbox, plans });
  const pictureCache = new QrPictureCache({
    maxBytes: cachedPictureBytes,
    load: async (id) => {
      const found = await qrs.findPublic(id);
      return found && (found.picture ? toPicture(found, found.picture) : 'gone');
    },
  });
  const studio = openQrStudio({ isThreaded });
  const guardedFetch = createGuardedFetch({ allowPrivateNetwork: config.allowPrivateNetwork });
  const qrService = new QrService({
    qrs,
    urls: service,
    studio,
    fetchLogo: logoFetcher(guardedFetch),
    publicHost: (shortUrl) => publicHostOf(origins(), config.publicHost, shortUrl),
    clock,
    newId: newUuid,
    onChanged: (id) => pictureCache.invalidate(id),
  });
  const webhooks = new WebhookService({
    webhooks: new WebhookRepository(database),
    deliveries: new DeliveryRepository(database, outbox),
    organizations,
    plans,
    allowPrivateNetwork: config.allowPrivateNetwork,
    clock,
    newId: newUuid,
    randomBytes,
    onChanged: wakeDispatcher,
  });
  const pruner = new DeliveryPruner(database, clock);
  const hosts = new HostResolver({
    shortDomain: () => origins().shortDomain,
    findActiveId: (hostname) => domains.findActiveId(hostname),
    clock,
  });
  const http = createHttpServer({
    logger,
    auth,
    clock,
    countCall: (organizationId) =>
      // Nobody calls before the server has started.
      new Promise((kept) => pipeline?.journal.append(toCallLine(organizationId, clock()), kept)),
    redirects: new RedirectHandler({
      cache,
      isReserved,
      findDomain: (host) => hosts.find(host),
      // Nobody visits before the server has started.
      record: (request, link, answer) => recorder?.record(request, link, answer),
      limiter: new AttemptLimiter(passwordAttempts),
      proxies: config.trustedProxies,
      clock,
      onError: (err, requestId) => logger.error({ requestId, err }, 'a redirect failed'),
    }),
    pictures: new QrPictureHandler({
      cache: pictureCache,
      // Nobody downloads before the server has started.
      countDownload: (id, answer) => pipeline?.journal.append(toDownloadLine(id), answer),
      onError: (err, requestId) => logger.error({ requestId, err }, 'a picture failed'),
    }),
    handlers: {
      ...tokenHandlers(auth),
      ...urlHandlers(service, origins, clock),
      ...clickHandlers(new ClickService({ urls: service, reports, clock }), origins),
      ...qrHandlers(qrService),
      ...scanHandlers(new ScanService({ scans: new ScanRepository(database), reports, clock })),
      ...webhookHandlers(webhooks),
      ...usageHandlers(
        new UsageService({ usage: new UsageRepository(database), plans, clock }),
      ),
      ...healthHandlers({
        database,
        isStopping: () => stopping !== undefined,
        visitFault: () => pipeline?.fault,
        visitFigures: () => pipeline?.figures,
      }),
    },
  });
  const services: readonly Service[] = [
    new PeriodicService({
      name: 'expiry',
      everyMs: expiryEveryMs,
      runOnce: () => expireUrls(urls, clock),
      onError: (err) => logger.error({ err }, 'links could not be expired'),
    }),
    new PeriodicService({
      name: 'housekeeping',
      everyMs: housekeepingEveryMs,
      runOnce: async () => {
        await clients.deleteExpiredTokens(clock());
        await forgetOldKeys(database, clock());
      },
      onError: (err) => logger.error({ err }, 'old tokens and keys could not be removed'),
    }),
    new PeriodicService({
      name: 'old deliveries',
      everyMs: housekeepingEveryMs,
      runOnce: () => pruner.runOnce(),
      onError: (err) => logger.error({ err }, 'old deliveries could not be removed'),
    }),
    dispatcher,
  ];

  async function createFirstOrganization(): Promise<void> {
    // Nothing is written when there is nothing to do: a start does not wait for a locked database.
    if ((await organizations.list()).length > 0) return;
    const first = config.credentials ?? auth.newCredentials();
    const id = newUuid();
    // A self-hoster has no limits.
    const isFirst = await organizations.createFirst(
      { id, name: 'default', plan: 'enterprise', createdAt: clock() },
      clientOf(id, first),
    );
    if (isFirst) credentials = first;
  }

  async function startCounting(): Promise<void> {
    const { databasePath, durability, thresholds, retentionDays, trustedProxies: proxies } = config;
    pipeline = new VisitPipeline({
      databasePath,
      durability,
      thresholds,
      retentionDays,
      plans,
      visits,
      chunks: new ChunkRepository(database),
      isThreaded: hasThreads,
      newId: newUuid,
      clock,
      logger,
    });
    const findCountry = await openCountryDatabase({
      path: config.countryDatabase,
      onFault: (err) => logger.error({ err }, 'countries are unknown'),
    });
    const describer = createVisitDescriber({
      secretKey: config.secretKey ?? loadSecretKey(databasePath),
      findCountry,
      countryHeader: config.countryHeader,
      honourPrivacySignals: config.honourPrivacySignals,
    });
    recorder = new VisitRecorder({ journal: pipeline.journal, describer, proxies, clock });
    pipeline.start();
  }

  async function shutDown(): Promise<void> {
    await listener?.stop(stopGraceMs);
    await stopAll(services);
    await pipeline?.stop();
    await reportsThread?.stop();
    await studio.stop();
    await guardedFetch.close();
    await database.close();
  }

  return {
    get url() {
      return url;
    },
    get credentials() {
      return credentials;
    },
    database,
    async start() {
      await database.migrate();
      await createFirstOrganization();
      await startCounting();
      listener = await listen(http, config);
      url = config.baseUrl ?? listener.origin;
      const { protocol, host } = new URL(url);
      places = { scheme: `${protocol}//`, shortDomain: config.shortDomain ?? host };
      for (const each of services) each.start();
    },
    stop() {
      stopping ??= shutDown();
      return stopping;
    },
    expireUrls: () => expireUrls(urls, clock),
  };
}
