import type { IncomingMessage } from 'node:http';
import { clientAddressOf, type TrustedProxies } from '../../network/client-address.js';
import type { Clock } from '../../ports.js';
import type { Link } from '../../redirect/link.js';
import type { VisitDescriber } from '../classify/describe-visit.js';
import type { Journal } from './journal.js';
import { toLine } from './visit.js';

export interface VisitRecorderOptions {
  readonly journal: Journal;
  readonly describer: VisitDescriber;
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
    const { journal, describer, proxies, clock } = this.#options;
    const { method, headers, socket } = request;
    const url = request.url as string;
    const mark = url.indexOf('?');
    const peer = socket.remoteAddress;
    const facts = describer.describe({
      method,
      headers,
      query: mark < 0 ? '' : url.slice(mark),
      address: clientAddressOf(peer, headers['x-forwarded-for'], proxies),
      isPeerTrusted: peer !== undefined && proxies.trusts(peer),
      shortDomain: headers.host ?? '',
    });
    const path = mark < 0 ? url : url.slice(0, mark);
    const isByCode = path.length === link.shortCode.length + 1 && path.endsWith(link.shortCode);
    journal.append(toLine({ urlId: link.urlId, visitedAt: clock(), isByCode, facts }), answer);
  }
}
