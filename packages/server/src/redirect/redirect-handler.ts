import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLinkPreviewer } from '../analytics/classify/link-previewers.js';
import type { VisitRecorder } from '../analytics/journal/visit-recorder.js';
import { limitAttempts, passwordAttempts, verifyAttempt } from '../auth/attempt-limiter.js';
import type { Passwords } from '../auth/passwords.js';
import type { Config } from '../config.js';
import { ApiError, validationError } from '../contract/api-error.js';
import { parseInput } from '../contract/parse-input.js';
import { bodyFormatOf, parseForm } from '../http/body-format.js';
import { errorHeaders, toApiError } from '../http/error-response.js';
import { parseJson } from '../http/parse-json.js';
import { maxPublicBodyBytes, readBody } from '../http/read-body.js';
import { requestIdOf } from '../http/request-id.js';
import { decodeUnreserved } from '../http/request-target.js';
import { respondToError, sendError, sendPage } from '../http/send-response.js';
import { clientAddressOf } from '../network/client-address.js';
import { addressBlockOf } from '../network/ip-address.js';
import { type LinkOrigins, shortUrlOf } from '../network/link-origins.js';
import type { Page } from '../pages/page.js';
import { previewPage } from '../pages/preview-page.js';
import type { FormOrigin, VisitorPages } from '../pages/visitor-pages.js';
import { prefersJson } from '../parse-accept.js';
import { type Database, StorageUnavailableError } from '../storage/database.js';
import { foldKey } from '../storage/fold-keys.js';
import { isCodeSegment, maxCodeLength } from '../urls/url-keys.js';
import type { UrlReader } from '../urls/url-reader.js';
import {
  createDomainPages,
  type DomainPagesOptions,
  isRead,
  pathOf,
  redirectTo,
} from './domain-pages.js';
import { decideRedirect, type Link, linkLoader, targetOf, usedUp } from './link.js';
import { createLinkCache } from './link-cache.js';
import { createLinkInfo, type LinkInfoOptions } from './link-info.js';
import { createClickTaker } from './max-clicks.js';
import { unlockForm, unlockRequest } from './redirect-contract.js';
import { forwardRequest } from './target-location.js';

export interface RedirectOptions extends DomainPagesOptions, LinkInfoOptions {
  readonly config: Config;
  readonly database: Database;
  readonly isReserved: (word: string) => boolean;
  readonly urls: Pick<UrlReader, 'findByKey' | 'findMany' | 'findLongerKeys'>;
  /** Returns the functions that describe and record visits. */
  readonly visits: () => VisitRecorder;
  /** The public addresses of links, which previews name. */
  readonly origins: () => LinkOrigins;
  readonly passwords: Pick<Passwords, 'verify'>;
  /** Called with the status of each response. */
  readonly onResponse: (status: number) => void;
  readonly onRequestError: (error: unknown, requestId: string) => void;
}

/**
 * Responds to visits of short links. It is the first request handler. It responds to a cached link
 * in the turn of the event loop in which the request arrives.
 */
export function createRedirects(options: RedirectOptions) {
  const { config, database, hosts, passwords, pagesFor, onResponse } = options;
  const cache = createLinkCache({ maxBytes: config.linkCacheBytes, load: linkLoader(options) });
  const domainPages = createDomainPages(options);
  const findInfo = createLinkInfo(options);
  const takeClick = createClickTaker(database);
  const takeAttempt = limitAttempts(database, passwordAttempts, options.clock);

  function handleVisit(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url as string;
    const path = pathOf(request);
    const domainId = hosts.find(request.headers.host);
    if (domainId === null || typeof domainId === 'string') {
      // Cached paths are valid, so a hit needs no further check of the path.
      const link = cache.peek(domainId, path);
      if (link) {
        respond(response, link);
        return true;
      }
    }
    const described = infoPath.exec(path)?.[1];
    const linkPath = parsePath(described ?? path);
    if (linkPath === undefined) {
      // Nothing awaits the look-up any more, so its rejection is handled here.
      if (domainId instanceof Promise) domainId.catch(() => {});
      return false;
    }
    find(domainId, linkPath, request.headers.host)
      .then(async (found) => {
        // The visit is recorded with the path of the link alone.
        if (found) request.url = `/${found.key}${url.slice(path.length)}`;
        if (described === undefined) respond(response, found?.link, found?.rest);
        else if (!found?.rest) await describe(response, found?.link);
        // The link forwards a path that ends with a plus.
        else respond(response, found.link, found.rest + path.slice(described.length));
      })
      .catch((error) => fail(response, error));
    return true;
  }

  /**
   * Returns the first segment of a path, with which the key of its link begins, and what follows it: a trailing
   * slash alone leads to the same link. Returns undefined for a path that no link can have.
   */
  function parsePath(path: string) {
    const slash = path.indexOf('/', 1);
    const key = decodeUnreserved(slash < 0 ? path.slice(1) : path.slice(1, slash));
    const rest = slash < 0 || slash === path.length - 1 ? '' : path.slice(slash);
    const isKey = isCodeSegment(key) && key.length <= maxCodeLength;
    return isKey && !options.isReserved(key) ? { path, key, rest } : undefined;
  }

  /** Finds the link of the longest key that a path begins with and that takes the rest of it. */
  async function find(
    domainId: string | null | Promise<string | null>,
    { path, key, rest }: NonNullable<ReturnType<typeof parsePath>>,
    host: string | undefined,
  ) {
    const domain = await domainId;
    const folds = (await hosts.settingsOf(host)).ignoreCase;
    const load = async (each: string) =>
      cache.peek(domain, `/${folds ? foldKey(each) : each}`) ?? cache.load(domain, each, folds);
    const longer = rest === '' ? [] : await findLonger(domain, path, folds);
    for (const candidate of [...longer, { key, rest }]) {
      const link = await load(candidate.key);
      if (link && takesPath(link, candidate.rest)) return { link, ...candidate };
    }
    return undefined;
  }

  async function findLonger(domainId: string | null, path: string, folds: boolean) {
    try {
      return await options.urls.findLongerKeys(domainId, path, folds);
    } catch (error) {
      // Cached links redirect while storage is unavailable.
      if (error instanceof StorageUnavailableError) return [];
      throw error;
    }
  }

  /** Shows where a link leads. This is no visit. */
  async function describe(response: ServerResponse, link: Link | undefined): Promise<void> {
    const info = isRead(response.req) && link ? await findInfo(link) : undefined;
    if (info === undefined) {
      refuseVisitor(response, unknown);
      return;
    }
    onResponse(200);
    sendPage(response, 200, pagesFor(response.req.headers).info(info));
  }

  function respond(response: ServerResponse, link: Link | undefined, rest = ''): void {
    const decision = decideRedirect(link, options.clock());
    if (decision === 'unknown' || link === undefined) refuseVisitor(response, unknown);
    else if (decision === 'gone') refuseVisitor(response, gone);
    else if (decision === 'fallback') leadTo(response, link.fallback as string);
    else if (decision === 'taken-down') refuse(response, takenDown, (pages) => pages.takenDown);
    else if (decision === 'redirect') {
      if (isRead(response.req)) redirect(response, link, link.status, rest);
      else refuse(response, methodNotAllowed('GET, HEAD'));
    } else if (isRead(response.req)) askPassword(response);
    else if (response.req.method === 'POST') {
      unlock(response, link, rest).catch((error) => fail(response, error));
    } else refuse(response, methodNotAllowed('GET, HEAD, POST'));
  }

  function askPassword(response: ServerResponse): void {
    const { headers } = response.req;
    if (prefersJson(headers.accept)) refuse(response, passwordNeeded);
    else {
      onResponse(200);
      sendPage(response, 200, pagesFor(headers).password(formOriginOf(response.req)));
    }
  }

  async function unlock(response: ServerResponse, link: Link, rest: string): Promise<void> {
    const { socket, headers } = response.req;
    const forwarded = headers['x-forwarded-for'];
    const address = clientAddressOf(socket.remoteAddress, forwarded, config.trustedProxies);
    const password = await readPassword(response);
    const clientKey = `${link.urlId} ${addressBlockOf(address)}`;
    const isCorrect = await verifyAttempt(takeAttempt, clientKey, () =>
      passwords.verify(link.organizationId, link.passwordHash as string, password),
    );
    if (isCorrect) redirect(response, link, 303, rest);
    else refusePassword(response, wrongPassword);
  }

  function redirect(response: ServerResponse, link: Link, status: number, rest: string): void {
    const visits = options.visits();
    const visit = visits.describe(response.req);
    const target = targetOf(link, visit);
    const location = link.forwarding
      ? forwardRequest(target.location, link.forwarding, { rest, query: visit.query.slice(1) })
      : target.location;
    if (location === undefined) {
      refuseVisitor(response, unknown);
      return;
    }
    // Callbacks of several visits run in one batch, so this one must not throw.
    const respondOnce = (isSafe: boolean) => {
      try {
        if (!isSafe) refuse(response, notSynced, (pages) => pages.unavailable);
        else if (link.preview && isLinkPreviewer(response.req.headers['user-agent'] ?? '')) {
          const { shortCode, preview } = link;
          const shortUrl = shortUrlOf(options.origins(), { ...preview, shortCode });
          onResponse(200);
          sendPage(response, 200, previewPage({ ...preview, shortUrl, location }), varyByAgent);
        } else {
          onResponse(status);
          sendRedirect(response, link, status, location);
        }
      } catch (error) {
        fail(response, error);
      }
    };
    // Only a visit that counts takes a click of a link with a limit.
    const spendClick =
      link.clickLimit &&
      ((write: () => void) => {
        takeClick(link)
          .then((isTaken) => {
            if (isTaken) write();
            else if (usedUp(link) === 'fallback') leadTo(response, link.fallback as string);
            else refuseVisitor(response, gone);
          })
          .catch((error) => fail(response, error));
      });
    visits.record(visit, link, target, respondOnce, spendClick);
  }

  /** Sends a visitor elsewhere than to the target of a link. The visit is not recorded. */
  function leadTo(response: ServerResponse, url: string): void {
    onResponse(302);
    redirectTo(response, url);
  }

  /** Leads a visitor without a link to where the domain says, or else sends an error. */
  function refuseVisitor(response: ServerResponse, error: typeof unknown | typeof gone): void {
    const isUnknown = error === unknown;
    domainPages
      .findUrl(response.req, isUnknown ? 'notFoundUrl' : 'expiredUrl')
      .then((url) => {
        if (url !== undefined) leadTo(response, url);
        else refuse(response, error, (pages) => (isUnknown ? pages.notFound : pages.gone));
      })
      .catch((cause) => fail(response, cause));
  }

  /** Sends an error as a page, or as JSON to clients that prefer it. */
  function refuse(
    response: ServerResponse,
    error: ApiError,
    pageOf: (pages: VisitorPages) => Page = (pages) => pages.notFound,
  ): void {
    const { headers } = response.req;
    onResponse(error.status);
    const isJson = prefersJson(headers.accept) || error.code === 'METHOD_NOT_ALLOWED';
    if (isJson) sendError(response, error);
    else sendPage(response, error.status, pageOf(pagesFor(headers)), errorHeaders(error));
  }

  /** Sends the form again. */
  function refusePassword(response: ServerResponse, error: ApiError): void {
    const origin = formOriginOf(response.req);
    refuse(response, error, (pages) => pages.password(origin, error));
  }

  /** Sends an error response. Never throws, because promises and callbacks end here. */
  function fail(response: ServerResponse, error: unknown): void {
    const request = response.req;
    // The client disconnected before it had sent the whole request.
    if (request.destroyed && !request.complete) return;
    const apiError = toApiError(error);
    respondToError(response, error, options.onRequestError, () =>
      apiError.status >= 500
        ? refuse(response, apiError, (pages) => pages.unavailable)
        : refusePassword(response, apiError),
    );
  }

  return {
    cache,
    domainPages,

    /** Handles a request for a link; returns false for any path that no link can have. */
    handle(request: IncomingMessage, response: ServerResponse): boolean {
      try {
        return handleVisit(request, response);
      } catch (error) {
        fail(response, error);
        return true;
      }
    },

    /** Responds as to a visit of an unknown link. */
    respondUnknown: (response: ServerResponse) => refuseVisitor(response, unknown),
  };
}

/** The path of a link's info page, and that of the link. */
const infoPath = /^(\/.*[^/])(?:\+|%2b)\/?$/i;

const unknown = new ApiError('NOT_FOUND', 'There is no such link');
const gone = new ApiError('GONE', 'This link has expired, or was paused or deleted');
const takenDown = new ApiError('TAKEN_DOWN', 'The operator of this server has taken the link down');
const notSynced = new ApiError('UNAVAILABLE', 'The visit cannot be recorded safely; try again');
const challenge = { headers: { 'WWW-Authenticate': 'Password' } };
const passwordNeeded = new ApiError(
  'UNAUTHORIZED',
  'This link needs a password: POST it as "password" to the same address',
  challenge,
);
const wrongPassword = new ApiError('UNAUTHORIZED', 'Wrong password', challenge);

function methodNotAllowed(allow: string): ApiError {
  return new ApiError('METHOD_NOT_ALLOWED', `Use ${allow}`, { headers: { Allow: allow } });
}

/** Returns the password of a form or JSON body. Throws an ApiError when there is none. */
async function readPassword(response: ServerResponse): Promise<string> {
  const { req: request } = response;
  const format = bodyFormatOf(request.headers, ['form', 'json']);
  const bytes = await readBody(response, maxPublicBodyBytes);
  const isForm = format === 'form';
  const fields = isForm ? parseForm(bytes) : parseJson(bytes);
  if (isForm) restoreOrigin(request, fields as Record<string, unknown>);
  const parsed = parseInput(isForm ? unlockForm : unlockRequest, fields);
  if (!parsed.ok) throw validationError(parsed.details, parsed.count);
  return parsed.value.password;
}

// Escaped, it and the longest password fit in the body of a form.
const maxReferrerLength = 1_024;
const maxFetchSiteLength = 16;

function formOriginOf({ headers }: IncomingMessage): FormOrigin {
  return {
    referrer: (headers.referer ?? '').slice(0, maxReferrerLength),
    fetchSite: String(headers['sec-fetch-site'] ?? '').slice(0, maxFetchSiteLength),
  };
}

/**
 * Sets the headers of a sent form to those of the request for it, so that its visit is described like any
 * other. They are as credible as headers: any client can send both.
 */
function restoreOrigin({ headers }: IncomingMessage, fields: Record<string, unknown>): void {
  const { referrer, fetchSite } = fields;
  if (typeof referrer === 'string') headers.referer = referrer || undefined;
  if (typeof fetchSite === 'string') headers['sec-fetch-site'] = fetchSite || undefined;
}

/** Returns whether a link is visited by this path after its key. */
function takesPath(link: Link, rest: string): boolean {
  return rest === '' || link.forwarding?.path === true;
}

const varyByAgent = { Vary: 'User-Agent' } as const;

function sendRedirect(
  response: ServerResponse,
  { cacheControl, preview }: Pick<Link, 'cacheControl' | 'preview'>,
  status: number,
  location: string,
): void {
  const headers = [
    'Location',
    location,
    'Cache-Control',
    status === 303 ? 'no-store' : cacheControl,
    'X-Request-Id',
    requestIdOf(response.req.headers['x-request-id']),
    'Content-Length',
    '0',
  ];
  if (preview !== undefined) headers.push('Vary', varyByAgent.Vary);
  response.writeHead(status, headers);
  response.end();
}
