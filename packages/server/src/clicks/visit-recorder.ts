import type { IncomingMessage } from 'node:http';
import type { Journal } from '../journal/journal.js';
import { clientAddressOf, type TrustedProxies } from '../net/client-address.js';
import type { Clock } from '../ports.js';
import type { Link } from '../redirect/link.js';
import type { VisitDescriber } from '../visits/describe-visit.js';
import { toLine } from './visit.js';

export interface VisitRecorderOptions {
  readonly journal: Journal;
  readonly describe: VisitDescriber;
  readonly proxies: TrustedProxies;
  readonly clock: Clock;
}

/** Describes the visits of links and has them kept before they are answered. */
export class VisitRecorder {
  readonly #options: VisitRecorderOptions;

  constructor(options: VisitRecorderOptions) {
    this.#options = options;
  }

  /** Keeps the visit, and then has it answered. */
  record(request: IncomingMessage, link: Link, answer: () => void): void {
    const { journal, describe, proxies, clock } = this.#options;
    const url = request.url as string;
    const address = clientAddressOf(
      request.socket.remoteAddress,
      request.headers['x-forwarded-for'],
      proxies,
    );
    const line = toLine({
      ...describe(request, address),
      urlId: link.urlId,
      visitedAt: clock(),
      isByCode: url.startsWith(link.shortCode, 1) && isEnd(url, link.shortCode.length + 1),
    });
    journal.append(line, answer);
  }
}

function isEnd(url: string, at: number): boolean {
  return url.length === at || url[at] === '?';
}
