import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, validationError } from '../contract/api-error.js';
import { parseInput } from '../contract/parse-input.js';
import { rateLimitedError } from '../contract/rate-limit.js';
import { truncateText } from '../contract/truncate-text.js';
import { bodyFormatOf, parseForm } from '../http/body-format.js';
import type { FirstHandler } from '../http/create-http-server.js';
import { errorHeaders, toApiError } from '../http/error-response.js';
import { parseJson } from '../http/parse-json.js';
import { prefersJson } from '../http/prefers-json.js';
import { maxPublicBodyBytes, readBody } from '../http/read-body.js';
import { respondToError, sendError, sendPage } from '../http/send-response.js';
import { clientAddressOf } from '../network/client-address.js';
import { type AddressRanges, addressBlockOf } from '../network/ip-address.js';
import { type AbuseForm, abusePage, abuseReceivedPage } from '../pages/abuse-pages.js';
import type { Clock, NewId } from '../ports.js';
import { StorageUnavailableError } from '../storage/database.js';
import type { Limit, LimitStore } from '../storage/limits.js';
import type { FindKey } from '../urls/key-finder.js';
import { parseShortUrl } from '../urls/loop-detector.js';
import type { LinkOrigins } from '../urls/present-url.js';
import { domainKeyOf } from '../urls/url-keys.js';
import {
  abuseFormQuery,
  abuseLimits,
  abuseReasons,
  abuseReportForm,
  abuseReportRequest,
} from './abuse-contract.js';
import type { AbuseRepository } from './abuse-repository.js';

export interface ReportPageOptions {
  readonly reports: Pick<AbuseRepository, 'add'>;
  readonly findKey: FindKey;
  readonly origins: () => LinkOrigins;
  /** Returns a keyed hash of a text. */
  readonly pseudonymOf: (text: string) => string;
  readonly limits: LimitStore;
  readonly reportsPerAddress: number;
  readonly proxies: AddressRanges;
  readonly clock: Clock;
  readonly newId: NewId;
  /** The time in which the whole body must arrive. */
  readonly bodyTimeoutMs: number;
  readonly onError: (error: unknown, requestId: string) => void;
}

const path = '/report-abuse';

/** The reports that an address may send within ten minutes. */
export const reportsPerAddress = 10;

const emptyForm = { url: '', reason: '', comment: '', email: '' };
const settings = { reasons: abuseReasons, limits: abuseLimits };

/**
 * Serves the page on which visitors report links, on every host that serves links. It is handled before the
 * API, which custom domains do not have. The response never tells whether a link exists.
 */
export class ReportPage implements FirstHandler {
  readonly #options: ReportPageOptions;
  readonly #limit: Limit;

  constructor(options: ReportPageOptions) {
    this.#options = options;
    const units = options.reportsPerAddress;
    this.#limit = { name: 'abuse reports', units, windowMs: 10 * 60_000, restores: 'evenly' };
  }

  /** Handles a request for the page; returns false for any other request. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url as string;
    if (!url.startsWith(path)) return false;
    const mark = url.indexOf('?');
    const isPage = (mark < 0 ? url : url.slice(0, mark)).replace(/\/$/, '') === path;
    if (!isPage) return false;
    this.#serve(request, response, mark < 0 ? '' : url.slice(mark + 1)).catch((error) =>
      this.#fail(response, error, emptyForm),
    );
    return true;
  }

  async #serve(request: IncomingMessage, response: ServerResponse, query: string): Promise<void> {
    const { method } = request;
    if (method === 'GET' || method === 'HEAD') {
      const given = new URLSearchParams(query).get('url') ?? undefined;
      const parsed = parseInput(abuseFormQuery, { url: given });
      if (!parsed.ok) throw validationError(parsed.details, parsed.count);
      const { url = '' } = parsed.value;
      sendPage(response, 200, abusePage({ ...settings, ...emptyForm, url }));
    } else if (method === 'POST') await this.#receive(request, response);
    else {
      const headers = { Allow: 'GET, HEAD, POST' };
      sendError(response, new ApiError('METHOD_NOT_ALLOWED', 'Use GET or POST', { headers }));
    }
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { reports, proxies, clock, newId, bodyTimeoutMs, pseudonymOf } = this.#options;
    const { socket, headers } = request;
    const address = clientAddressOf(socket.remoteAddress, headers['x-forwarded-for'], proxies);
    const reporter = addressBlockOf(address);
    await this.#count(reporter);
    const format = bodyFormatOf(headers, ['form', 'json']);
    const limits = { maxBytes: maxPublicBodyBytes, timeoutMs: bodyTimeoutMs };
    const bytes = await readBody(request, response, limits);
    const given = format === 'json' ? await parseJson(bytes) : parseForm(bytes);
    try {
      const schema = format === 'json' ? abuseReportRequest : abuseReportForm;
      const parsed = parseInput(schema, given);
      if (!parsed.ok) throw validationError(parsed.details, parsed.count);
      const { url, reason, comment, email } = parsed.value;
      const link = await this.#linkOf(url, headers.host);
      const report = {
        ...link,
        id: newId(),
        reason,
        comment: comment ?? null,
        email: email ?? null,
        reporter: pseudonymOf(`abuse report ${reporter}`),
      };
      if (!(await reports.add(report, clock()))) throw tooMany;
      sendPage(response, 200, abuseReceivedPage);
    } catch (error) {
      this.#fail(response, error, textsOf(given));
    }
  }

  /** Throws RATE_LIMITED if an address has sent too many reports, valid or not. */
  async #count(reporter: string): Promise<void> {
    const { units, windowMs } = this.#limit;
    const { granted, waitMs } = await this.#options.limits.take(this.#limit, reporter, 1);
    if (granted > 0) return;
    throw rateLimitedError(`An address may send ${units} reports in ten minutes`, {
      limit: units,
      windowSeconds: windowMs / 1000,
      remaining: 0,
      resetSeconds: Math.ceil(waitMs / 1000),
    });
  }

  /** Returns the domain and the key of a short URL, which need not exist. */
  async #linkOf(url: string, host: string | undefined) {
    // A key alone is on the host of the form.
    const ownHostname = host?.replace(/:\d*$/, '').toLowerCase();
    const names = parseShortUrl(url).flatMap(({ hostname = ownHostname, key }) =>
      hostname === undefined ? [] : [{ hostname, key }],
    );
    const found = await this.#options.findKey(names);
    if (!found) {
      const message = 'must be a short link of this service';
      throw validationError([{ path: 'url', message }]);
    }
    const { scheme, shortDomain } = this.#options.origins();
    const { hostname, domainKey, key } = found;
    const domain = domainKey === domainKeyOf(null) ? shortDomain : hostname;
    return { domain_key: domainKey, key, shortUrl: `${scheme}${domain}/${key}` };
  }

  /** Shows the form with an error, or sends JSON. Never throws. */
  #fail(response: ServerResponse, error: unknown, texts: typeof emptyForm): void {
    const request = response.req;
    if (request.destroyed && !request.complete) return;
    const apiError = toApiError(error);
    const isStorage = error instanceof StorageUnavailableError;
    const cause = apiError.status >= 500 && !isStorage && error !== tooMany ? error : undefined;
    respondToError(response, cause, this.#options.onError, () => {
      if (prefersJson(request.headers.accept)) {
        sendError(response, apiError);
        return;
      }
      const form: AbuseForm = { ...settings, ...texts, error: apiError.message };
      sendPage(response, apiError.status, abusePage(form), errorHeaders(apiError));
    });
  }
}

const tooMany = new ApiError('UNAVAILABLE', 'Too many reports are waiting; try again later');

/** Returns what the visitor has typed, to show it again. */
function textsOf(given: unknown): typeof emptyForm {
  const fields = (typeof given === 'object' && given !== null ? given : {}) as Partial<
    Record<keyof typeof emptyForm, unknown>
  >;
  const textOf = (name: keyof typeof emptyForm, limit: number) => {
    const value = fields[name];
    return typeof value === 'string' ? truncateText(value, limit) : '';
  };
  return {
    url: textOf('url', abuseLimits.url),
    reason: textOf('reason', abuseLimits.url),
    comment: textOf('comment', abuseLimits.comment),
    email: textOf('email', abuseLimits.email),
  };
}
