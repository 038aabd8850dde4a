import type { IncomingMessage } from 'node:http';
import { clientAddressOf } from '../../network/client-address.js';
import type { AddressRanges } from '../../network/ip-address.js';
import type { Clock } from '../../ports.js';
import type { DescribeVisit, VisitFacts } from '../classify/describe-visit.js';
import { type Campaign, joinCampaigns } from '../classify/parse-campaign.js';
import type { Journal, OnWritten } from './journal.js';
import { toLine } from './journal-lines.js';

export interface VisitedLink {
  readonly urlId: number;
  readonly shortCode: string;
  /** Visits from these addresses do not count. Undefined: there are none. */
  readonly excludedAddresses: AddressRanges | undefined;
}

export interface VisitedTarget {
  readonly campaign: Campaign | null;
  /** The rule that chose it, and its variant; null for the link's own target. */
  readonly variant: string | null;
}

/** Takes a click of a link with a limit, and calls `write`. If there is none, it responds itself. */
export type TakeClick = (write: () => void) => void;

/** A visit before its target is known: `facts.campaign` is that of the visit's own query. */
export interface DescribedVisit {
  readonly request: IncomingMessage;
  readonly visitedAt: number;
  readonly address: string;
  /** The visit's own query with the question mark, or the empty text. */
  readonly query: string;
  readonly facts: VisitFacts;
}

export type VisitRecorder = ReturnType<typeof createVisitRecorder>;

/** Returns the functions that write visits to the journal before visitors are redirected. */
export function createVisitRecorder(
  journal: Journal,
  describe: DescribeVisit,
  proxies: AddressRanges,
  clock: Clock,
  onVisit: (facts: VisitFacts) => void,
) {
  return {
    /** Describes a visit. The result is for one call of `record`. */
    describe(request: IncomingMessage): DescribedVisit {
      const { method, headers, socket } = request;
      const url = request.url as string;
      const mark = url.indexOf('?');
      const query = mark < 0 ? '' : url.slice(mark);
      const peer = socket.remoteAddress;
      const address = clientAddressOf(peer, headers['x-forwarded-for'], proxies);
      const visitedAt = clock();
      const facts = describe({
        visitedAt,
        method,
        headers,
        query,
        address,
        // A closed connection has no address.
        isPeerTrusted: proxies.includes(peer ?? ''),
        shortDomain: headers.host ?? '',
      });
      return { request, visitedAt, address, query, facts };
    },

    /**
     * Writes a visit to the journal, then calls `respond`, with false if it must be synced and is not.
     * With `takeClick`, a visit that counts first takes a click.
     */
    record(
      visit: DescribedVisit,
      link: VisitedLink,
      { campaign, variant }: VisitedTarget,
      respond: OnWritten,
      takeClick?: TakeClick,
    ): void {
      // A visit that is not redirected is no click, and takes none.
      if (journal.isUnsafe) {
        respond(false);
        return;
      }
      const { urlId, shortCode, excludedAddresses } = link;
      const { request, visitedAt, address, query } = visit;
      // Copying that many properties is slow, and nothing else has the object.
      const described: { campaign: Campaign | null } & VisitFacts = visit.facts;
      if (campaign !== null) described.campaign = joinCampaigns(described.campaign, campaign);
      const isExcluded = described.kind === 'human' && excludedAddresses?.includes(address);
      const facts: VisitFacts = isExcluded
        ? { ...described, kind: 'excluded', reason: 'excluded-address' }
        : described;
      const pathLength = (request.url as string).length - query.length;
      const isByCode =
        pathLength === shortCode.length + 1 && (request.url as string).startsWith(shortCode, 1);
      const write = () => {
        onVisit(facts);
        journal.append(toLine({ urlId, visitedAt, isByCode, facts, variant }), respond);
      };
      if (takeClick === undefined || facts.kind !== 'human') write();
      else takeClick(write);
    },
  };
}
