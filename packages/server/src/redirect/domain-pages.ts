import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config.js';
import {
  type AppLinkDocument,
  appLinkDocuments,
  type DomainUrl,
  findDocument,
} from '../domains/domain-repository.js';
import type { HostResolver } from '../domains/host-resolver.js';
import { hostnameOf, type IsOwnHost } from '../domains/hostname.js';
import { toApiError } from '../http/error-response.js';
import { stableRequestIdOf } from '../http/request-id.js';
import { respondToError, sendError, sendFile, sendPage } from '../http/send-response.js';
import { favicon } from '../pages/favicon.js';
import type { PagesFor } from '../pages/visitor-pages.js';
import { prefersJson } from '../parse-accept.js';
import { type Database, StorageUnavailableError } from '../storage/database.js';
import type { LinkPolicy } from '../urls/blocked-hosts.js';

export interface DomainPagesOptions {
  readonly pagesFor: PagesFor;
  /** The documents of the platform's domain. */
  readonly config: Pick<Config, AppLinkDocument>;
  readonly database: Pick<Database, 'read'>;
  readonly hosts: Pick<HostResolver, 'find' | 'settingsOf'>;
  readonly linkPolicy: Pick<LinkPolicy, 'findBlockedHost'>;
  readonly isOwnHost: IsOwnHost;
  readonly onError: (error: unknown, requestId: string) => void;
}

const robots = 'User-agent: *\nDisallow:\n';
const dayCache = 'public, max-age=86400';
// An app is checked again soon after its document has changed.
const documentCache = 'public, max-age=300';
const wellKnown = '/.well-known/';

/** Serves what every domain has beside its links: `/`, robots.txt, an icon, and documents of apps. */
export function createDomainPages(options: DomainPagesOptions) {
  const { hosts, config, pagesFor, onError } = options;
  const { read } = options.database;

  /**
   * Returns where a domain leads visitors instead of showing an error or its page. Programs that accept
   * JSON get the error.
   */
  async function findUrl(
    request: IncomingMessage,
    setting: DomainUrl,
  ): Promise<string | undefined> {
    const { headers } = request;
    if (!isRead(request) || prefersJson(headers.accept) || pathOf(request).startsWith(wellKnown)) {
      return undefined;
    }
    try {
      const url = (await hosts.settingsOf(headers.host))[setting];
      return url !== null && (await mayLeadTo(url)) ? new URL(url).href : undefined;
    } catch (error) {
      if (error instanceof StorageUnavailableError) return undefined;
      throw error;
    }
  }

  /** Returns whether visitors may be led to a URL: not to this server, and not to a blocked host. */
  async function mayLeadTo(url: string): Promise<boolean> {
    const { host, port } = new URL(url);
    const hostname = hostnameOf(host);
    const isRefused =
      options.isOwnHost(hostname, port) || options.linkPolicy.findBlockedHost(url) !== undefined;
    return !isRefused && (await hosts.find(hostname)) === null;
  }

  async function sendRoot(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = await findUrl(request, 'rootUrl');
    if (url !== undefined) {
      redirectTo(response, url);
      return;
    }
    const { host } = request.headers;
    const pages = pagesFor(request.headers);
    const isPlatform = (await hosts.find(host)) === null;
    sendPage(response, 200, isPlatform ? pages.home : pages.domain(hostnameOf(host as string)));
  }

  /** Returns false if the domain has no such document. */
  async function sendDocument(
    { headers }: IncomingMessage,
    response: ServerResponse,
    name: AppLinkDocument,
  ): Promise<boolean> {
    const domainId = await hosts.find(headers.host);
    const text = domainId === null ? config[name] : await findDocument(read, domainId, name);
    if (text == null) return false;
    sendFile(response, text, { 'Content-Type': 'application/json' }, documentCache);
    return true;
  }

  function run(response: ServerResponse, work: () => Promise<void>): void {
    work().catch((error) =>
      respondToError(response, error, onError, () => sendError(response, toApiError(error))),
    );
  }

  return {
    findUrl,

    /** Handles a request for one of the pages; returns false for any other request. */
    handle(
      request: IncomingMessage,
      response: ServerResponse,
      respondUnknown: (response: ServerResponse) => void,
    ): boolean {
      if (!isRead(request)) return false;
      const path = pathOf(request);
      if (path === '/robots.txt') {
        sendFile(response, robots, { 'Content-Type': 'text/plain; charset=utf-8' }, dayCache);
      } else if (path === '/favicon.ico') {
        sendFile(response, favicon, { 'Content-Type': 'image/x-icon' }, dayCache);
      } else if (path === '/') run(response, () => sendRoot(request, response));
      else {
        const name = path.startsWith(wellKnown) ? path.slice(wellKnown.length) : '';
        if (!Object.hasOwn(appLinkDocuments, name)) return false;
        const document = appLinkDocuments[name as keyof typeof appLinkDocuments];
        run(response, async () => {
          if (!(await sendDocument(request, response, document))) respondUnknown(response);
        });
      }
      return true;
    },
  };
}

/** Redirects a visitor of an address without a link. Browsers ask again each time. */
export function redirectTo(response: ServerResponse, url: string): void {
  response.writeHead(302, {
    Location: url,
    'Cache-Control': 'no-store',
    'X-Request-Id': stableRequestIdOf(response.req),
    'Content-Length': 0,
  });
  response.end();
}

export function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function pathOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}
