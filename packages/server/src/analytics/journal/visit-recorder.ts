import type { IncomingMessage } from 'node:http';
import { clientAddressOf } from '../../network/client-address.js';
import type { AddressRanges } from '../../network/ip-address.js';
import type { Clock } from '../../ports.js';
import { excludedVisit } from '../classify/classify-visit.js';
import type { DescribeVisit } from '../classify/describe-visit.js';
import type { Campaign } from '../classify/parse-campaign.js';
import type { Journal } from './journal.js';
import { toLine } from './journal-lines.js';

export interface VisitedLink {
  readonly urlId: number;
  readonly shortCode: string;
  /** The UTM parameters of its target. */
  readonly campaign: Campaign | null;
  /** Visits from these addresses do not count. Undefined: there are none. */
  readonly excludedAddresses: AddressRanges | undefined;
}

/** Writes a visit of a URL to the journal, then calls `respond`. */
export type RecordVisit = (
  request: IncomingMessage,
  link: VisitedLink,
  respond: () => void,
) => void;

/** Returns the function that writes visits to the journal before visitors are redirected. */
export function createVisitRecorder(
  journal: Journal,
  describe: DescribeVisit,
  proxies: AddressRanges,
  clock: Clock,
): RecordVisit {
  return (request, { urlId, shortCode, campaign, excludedAddresses }, respond) => {
    const { method, headers, socket } = request;
    const url = request.url as string;
    const mark = url.indexOf('?');
    const peer = socket.remoteAddress;
    const address = clientAddressOf(peer, headers['x-forwarded-for'], proxies);
    const visitedAt = clock();
    const described = describe({
      visitedAt,
      method,
      headers,
      query: mark < 0 ? '' : url.slice(mark),
      linkCampaign: campaign,
      address,
      // A peer on a unix socket has no address.
      isPeerTrusted: proxies.includes(peer ?? ''),
      shortDomain: headers.host ?? '',
    });
    const isExcluded = described.kind === 'human' && excludedAddresses?.includes(address);
    const facts = isExcluded ? { ...described, ...excludedVisit } : described;
    const path = mark < 0 ? url : url.slice(0, mark);
    const isByCode = path.length === shortCode.length + 1 && path.endsWith(shortCode);
    journal.append(toLine({ urlId, visitedAt, isByCode, facts }), respond);
  };
}
