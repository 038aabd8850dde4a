import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Router } from 'express';
import type { Config } from '../config.js';
import {
  type AppLinkDocument,
  appLinkDocuments,
  type DomainUrl,
  findDocument,
} from '../domains/domain-repository.js';
import type { HostResolver } from '../domains/host-resolver.js';
import { hostnameOf, type IsOwnHost } from '../domains/hostname.js';
import { stableRequestIdOf } from '../http/request-id.js';
import { sendFile, sendPage } from '../http/send-response.js';
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
}

const robots = 'User-agent: *\nDisallow:\n';
const dayCache = 'public, max-age=86400';
// An app is checked again soon after its document has changed.
const documentCache = 'public, max-age=300';
const wellKnown = '/.well-known/';

/** Serves what every domain has beside its links: `/`, robots.txt, an icon, and documents of apps. */
export function createDomainPages(options: DomainPagesOptions) {
  const { hosts, config, pagesFor } = options;
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

  return {
    findUrl,

    /** Adds the routes of the pages. `respondUnknown` responds where a domain has no such document. */
    mount(router: Router, respondUnknown: (response: ServerResponse) => void): void {
      router.get('/robots.txt', (_, response) =>
        sendFile(response, robots, { 'Content-Type': 'text/plain; charset=utf-8' }, dayCache),
      );
      router.get('/favicon.ico', (_, response) =>
        sendFile(response, favicon, { 'Content-Type': 'image/x-icon' }, dayCache),
      );
      router.get('/', async (request, response) => {
        const { headers } = request;
        const url = await findUrl(request, 'rootUrl');
        if (url !== undefined) {
          redirectTo(response, url);
          return;
        }
        const pages = pagesFor(headers);
        const isPlatform = (await hosts.find(headers.host)) === null;
        const page = isPlatform ? pages.home : pages.domain(hostnameOf(headers.host as string));
        sendPage(response, 200, page);
      });
      for (const [name, document] of Object.entries(appLinkDocuments)) {
        router.get(wellKnown + name, async ({ headers }, response) => {
          const domainId = await hosts.find(headers.host);
          const text =
            domainId === null ? config[document] : await findDocument(read, domainId, document);
          if (text == null) respondUnknown(response);
          else sendFile(response, text, { 'Content-Type': 'application/json' }, documentCache);
        });
      }
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
