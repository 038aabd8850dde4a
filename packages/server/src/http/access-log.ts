import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config.js';
import { truncateText } from '../contract/api-error.js';
import { clientAddressOf } from '../network/client-address.js';
import { type AddressRanges, truncateAddress } from '../network/ip-address.js';
import type { Clock } from '../ports.js';
import type { FirstHandler } from './create-http-server.js';
import { stableRequestIdOf, traceIdOf } from './request-id.js';

export interface AccessLogOptions {
  readonly address: Config['accessLogAddress'];
  readonly proxies: AddressRanges;
  readonly clock: Clock;
  readonly write: (line: string) => void;
}

// A header of 80 KB may be one path or one host.
const maxTextLength = 2_048;

/** Writes one line of JSON for each request. It is the first request handler, and serves none. */
export class AccessLog implements FirstHandler {
  readonly #options: AccessLogOptions;

  constructor(options: AccessLogOptions) {
    this.#options = options;
  }

  handle(request: IncomingMessage, response: ServerResponse): false {
    const { clock, address: form, proxies, write } = this.#options;
    const { method, headers, socket } = request;
    const time = new Date(clock()).toISOString();
    const startedAt = performance.now();
    const bytesBefore = socket.bytesWritten;
    // Handlers may change the URL. The query is not logged, because it may contain personal data.
    const [path = ''] = (request.url ?? '').split('?', 1);
    // The response then has the same id.
    const requestId = stableRequestIdOf(request);
    // The socket forgets its peer when it closes.
    const address =
      form === 'off'
        ? undefined
        : clientAddressOf(socket.remoteAddress, headers['x-forwarded-for'], proxies);
    response.once('close', () => {
      const link = linkOf(response);
      const line = {
        time,
        msg: 'access',
        requestId,
        traceId: traceIdOf(request),
        address: address !== undefined && form === 'truncated' ? truncateAddress(address) : address,
        method,
        host: cut(headers.host),
        path: cut(path),
        status: response.writableFinished ? response.statusCode : 'aborted',
        bytes: socket.bytesWritten - bytesBefore,
        ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
        organizationId: organizationOf(response),
        urlId: link && `${link.urlId}`,
        shortCode: link?.shortCode,
      };
      write(`${JSON.stringify(line)}\n`);
    });
    return false;
  }
}

function cut(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= maxTextLength) return text;
  return `${truncateText(text, maxTextLength)}… (${text.length} characters)`;
}

export interface VisitedLink {
  readonly organizationId: string;
  readonly urlId: number;
  readonly shortCode: string;
}

const links = new WeakMap<ServerResponse, VisitedLink>();

/** Remembers the link that a response belongs to, for the access log. */
export function noteLink(response: ServerResponse, link: VisitedLink): void {
  links.set(response, link);
}

export function linkOf(response: ServerResponse): VisitedLink | undefined {
  return links.get(response);
}

/** Returns the organization of a link or of an authenticated request. Undefined for other requests. */
export function organizationOf(response: ServerResponse): string | undefined {
  const { organizationId } = (response as { locals?: { organizationId?: string } }).locals ?? {};
  return links.get(response)?.organizationId ?? organizationId;
}
