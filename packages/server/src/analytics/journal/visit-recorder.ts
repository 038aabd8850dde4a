import type { IncomingMessage } from 'node:http';
import { clientAddressOf } from '../../network/client-address.js';
import type { AddressRanges } from '../../network/ip-address.js';
import type { Clock } from '../../ports.js';
import type { VisitDescriber } from '../classify/describe-visit.js';
import type { Journal } from './journal.js';
import { toLine } from './visit.js';

/** The URL that a visitor requested. */
export interface VisitedUrl {
  readonly urlId: number;
  readonly shortCode: string;
}

export interface VisitRecorderOptions {
  readonly journal: Journal;
  readonly describer: VisitDescriber;
  readonly proxies: AddressRanges;
  readonly clock: Clock;
}

/** Writes visits to the journal before visitors are redirected. */
export class VisitRecorder {
  readonly #options: VisitRecorderOptions;

  constructor(options: VisitRecorderOptions) {
    this.#options = options;
  }

  /** Writes a visit to the journal, then calls `respond`. */
  record(request: IncomingMessage, { urlId, shortCode }: VisitedUrl, respond: () => void): void {
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
      isPeerTrusted: peer !== undefined && proxies.includes(peer),
      shortDomain: headers.host ?? '',
    });
    const path = mark < 0 ? url : url.slice(0, mark);
    const isByCode = path.length === shortCode.length + 1 && path.endsWith(shortCode);
    journal.append(toLine({ urlId, visitedAt: clock(), isByCode, facts }), respond);
  }
}
