import { StorageUnavailableError } from '../storage/database.js';

/** A link with a limit of clicks, as a redirect knows it. */
export interface LimitedLink {
  readonly urlId: number;
  readonly organizationId: string;
  readonly clickLimit: ClickLimit | undefined;
}

export interface ClickLimit {
  /** True once it is certain that all clicks are used. Only a change of the link allows further ones. */
  isUsedUp: boolean;
}

/** A change of the lease that this process has of a link. */
export interface LeaseChange {
  readonly urlId: number;
  readonly organizationId: string;
  /** Identifies the change, so that it can be repeated if its outcome is unknown. */
  readonly changeId: string;
  /** Unused clicks to give back. */
  readonly returned: number;
  /** The most clicks to add. */
  readonly wanted: number;
}

/** The outcome of a change. */
export interface LeaseGrant {
  /** The clicks that were added. */
  readonly granted: number;
  /** True if all clicks of the link are used. */
  readonly isUsedUp: boolean;
  /** True if the link has no limit any more. */
  readonly isUnlimited: boolean;
}

export interface ClickLeaseOptions {
  /** Changes the lease of this process in storage, in one transaction. May be repeated. */
  readonly change: (change: LeaseChange) => Promise<LeaseGrant>;
  readonly newId: () => string;
  /** Milliseconds of a clock that is never set. */
  readonly monotonicMs: () => number;
  /** Called with errors other than that storage is unavailable. */
  readonly onError: (error: unknown) => void;
  /** How long a visit waits for a click. */
  readonly maxWaitMs?: number;
  /** The pause before storage is asked again for clicks that other processes have. */
  readonly retryMs?: number;
}

/** Why a visit gets no click. */
export type ClickRefusal = 'used-up' | 'unavailable';

interface WaitingVisit {
  readonly onTaken: (isLeased: boolean) => void;
  readonly onRefused: (reason: ClickRefusal) => void;
  readonly until: number;
}

interface Lease {
  /** The link for which `left` was granted. A changed link is another object. */
  link: LimitedLink;
  /** Clicks that may be taken. */
  left: number;
  /** Clicks that may not be taken any more, because the link has changed or is not visited. */
  toReturn: number;
  /** The clicks of the last block. */
  block: number;
  /** The clicks that were last asked for, and when. */
  wanted: number;
  wantedAt: number;
  /** The clicks that were taken since the link was idle. */
  taken: number;
  /** Whether the link has not been visited since its clicks were given back. */
  isIdle: boolean;
  /** Whether a click was asked for since the last call of `returnUnused`. */
  isVisited: boolean;
  /** A change whose outcome is unknown, and the link at that time. */
  pending: { readonly change: LeaseChange; readonly link: LimitedLink } | undefined;
  waiting: WaitingVisit[];
  /** When storage may be asked again, after it had none. */
  nextAt: number;
  timer: NodeJS.Timeout | undefined;
  running: Promise<void> | undefined;
}

const defaultMaxWaitMs = 3_000;
const defaultRetryMs = 200;
// A block that is half used sooner is followed by one of four times its size. A block that takes four times
// as long is followed by one of half its size.
const quickMs = 30_000;
// A block of more clicks is at most this part of a process's share of what is left, because a process that
// was killed keeps its block for a while.
const largeBlock = 256;
const largePart = 64;
const maxBlock = 4_096;
const maxWaiting = 1_000;

/**
 * Returns how many clicks a process gets: at most half of its share of what is left, so that the others
 * get some, too, and at least one. A large block is a smaller part.
 */
export function blockOf(wanted: number, available: number, processes: number): number {
  if (available <= 0 || wanted <= 0) return 0;
  const share = available / processes;
  const most = Math.max(Math.min(share / 2, largeBlock), Math.min(share / largePart, maxBlock));
  return Math.min(wanted, Math.max(1, Math.floor(most)));
}

/**
 * Takes clicks of links with a limit. The process leases blocks of clicks from storage, so most visits
 * wait for nothing. A click is taken before its visit is in the journal, and the visit is redirected
 * afterwards. So the journal of a killed process has each click that the process has used.
 */
export class ClickLeases {
  readonly #options: Required<ClickLeaseOptions>;
  readonly #leases = new Map<number, Lease>();

  constructor(options: ClickLeaseOptions) {
    this.#options = { maxWaitMs: defaultMaxWaitMs, retryMs: defaultRetryMs, ...options };
  }

  /**
   * Takes a click, and calls `onTaken` at once or later; with false if the link has no limit any more.
   * Calls `onRefused` if there is none.
   */
  take(
    link: LimitedLink,
    onTaken: WaitingVisit['onTaken'],
    onRefused: WaitingVisit['onRefused'],
  ): void {
    const lease = this.#leases.get(link.urlId);
    if (lease !== undefined && lease.link === link && lease.left > 0) {
      lease.left -= 1;
      lease.taken += 1;
      lease.isVisited = true;
      // The next block is there before this one is used up.
      if (lease.left * 2 < lease.block && lease.block > 1) this.#run(lease);
      onTaken(true);
    } else if (link.clickLimit?.isUsedUp) onRefused('used-up');
    else this.#wait(lease ?? this.#open(link), link, onTaken, onRefused);
  }

  /** Gives back the clicks of links that were not visited since the last call. */
  async returnUnused(): Promise<void> {
    const now = this.#options.monotonicMs();
    const changes: Promise<void>[] = [];
    for (const [urlId, lease] of this.#leases) {
      if (lease.running || lease.waiting.length > 0) continue;
      if (lease.isVisited) {
        lease.isVisited = false;
        continue;
      }
      if (!lease.isIdle) {
        lease.isIdle = true;
        lease.wanted = Math.min(maxBlock, lease.taken);
        lease.taken = 0;
      }
      lease.toReturn += lease.left;
      lease.left = 0;
      if (lease.toReturn > 0 || lease.pending) {
        this.#run(lease);
        if (lease.running) changes.push(lease.running);
      } else if (now - lease.wantedAt >= quickMs) this.#leases.delete(urlId);
    }
    await Promise.all(changes);
  }

  /** Refuses the visits that wait, and waits for the changes in progress. */
  async stop(): Promise<void> {
    for (const lease of this.#leases.values()) {
      clearTimeout(lease.timer);
      refuse(lease, 'unavailable');
    }
    await Promise.all([...this.#leases.values()].map(({ running }) => running));
  }

  #open(link: LimitedLink): Lease {
    const lease: Lease = {
      link,
      left: 0,
      toReturn: 0,
      block: 0,
      wanted: 0,
      wantedAt: Number.NEGATIVE_INFINITY,
      taken: 0,
      isIdle: true,
      isVisited: true,
      pending: undefined,
      waiting: [],
      nextAt: 0,
      timer: undefined,
      running: undefined,
    };
    this.#leases.set(link.urlId, lease);
    return lease;
  }

  #wait(
    lease: Lease,
    link: LimitedLink,
    onTaken: WaitingVisit['onTaken'],
    onRefused: WaitingVisit['onRefused'],
  ): void {
    if (lease.waiting.length >= maxWaiting) {
      onRefused('unavailable');
      return;
    }
    if (lease.link !== link) {
      // The limit may be lower now, so the clicks that were granted before are given back first.
      lease.link = link;
      lease.toReturn += lease.left;
      lease.left = 0;
      lease.nextAt = 0;
    }
    lease.isVisited = true;
    const until = this.#options.monotonicMs() + this.#options.maxWaitMs;
    lease.waiting.push({ onTaken, onRefused, until });
    this.#watch(lease);
    this.#run(lease);
  }

  /** Asks again for clicks. Refuses visits that have waited too long, also if storage does not respond. */
  #watch(lease: Lease): void {
    if (lease.timer !== undefined || lease.waiting.length === 0) return;
    lease.timer = setTimeout(() => {
      lease.timer = undefined;
      const now = this.#options.monotonicMs();
      const late = lease.waiting.filter(({ until }) => until <= now);
      lease.waiting = lease.waiting.filter(({ until }) => until > now);
      for (const { onRefused } of late) onRefused('unavailable');
      this.#watch(lease);
      if (lease.waiting.length > 0) this.#run(lease);
    }, this.#options.retryMs);
  }

  #run(lease: Lease): void {
    if (lease.running || this.#options.monotonicMs() < lease.nextAt) return;
    lease.running = this.#change(lease)
      .catch((error) => {
        if (!(error instanceof StorageUnavailableError)) this.#options.onError(error);
        refuse(lease, 'unavailable');
      })
      .then(() => {
        lease.running = undefined;
        // A visit may have come since the last answer.
        if (lease.waiting.length > 0) this.#run(lease);
      });
  }

  /** Changes the lease until no visit waits, or until there are no clicks for them. */
  async #change(lease: Lease): Promise<void> {
    do {
      lease.pending ??= { change: this.#nextChange(lease), link: lease.link };
      const { change, link } = lease.pending;
      const { granted, isUsedUp, isUnlimited } = await this.#options.change(change);
      lease.pending = undefined;
      lease.toReturn -= change.returned;
      if (lease.link !== link) {
        lease.toReturn += granted;
        continue;
      }
      lease.block = granted;
      lease.left += granted;
      serve(lease, isUnlimited);
      if (granted > 0 || lease.left > 0 || lease.waiting.length === 0) continue;
      if (isUsedUp && link.clickLimit) {
        link.clickLimit.isUsedUp = true;
        refuse(lease, 'used-up');
      } else {
        // Other processes have the rest, or have used it. The timer asks again.
        lease.nextAt = this.#options.monotonicMs() + this.#options.retryMs;
        return;
      }
    } while (lease.waiting.length > 0);
  }

  #nextChange(lease: Lease): LeaseChange {
    const { urlId, organizationId } = lease.link;
    const now = this.#options.monotonicMs();
    if (lease.isVisited) {
      // A link that was idle gets as many clicks as it used before.
      const factor = lease.isIdle ? 1 : factorOf(now - lease.wantedAt);
      const block = Math.min(maxBlock, Math.floor(factor * lease.wanted));
      lease.wanted = Math.max(1, block, lease.waiting.length);
      lease.wantedAt = now;
      lease.isIdle = false;
    }
    return {
      urlId,
      organizationId,
      changeId: this.#options.newId(),
      returned: lease.toReturn,
      wanted: lease.isVisited ? lease.wanted : 0,
    };
  }
}

/** Returns how much larger the next block is, by the milliseconds since the last one was asked for. */
function factorOf(ms: number): number {
  if (ms < quickMs) return 4;
  return ms < 4 * quickMs ? 1 : 0.5;
}

function serve(lease: Lease, isUnlimited: boolean): void {
  const { waiting } = lease;
  const count = isUnlimited ? waiting.length : Math.min(lease.left, waiting.length);
  if (!isUnlimited) {
    lease.left -= count;
    lease.taken += count;
  }
  for (const { onTaken } of waiting.splice(0, count)) onTaken(!isUnlimited);
}

function refuse({ waiting }: Lease, reason: ClickRefusal): void {
  for (const { onRefused } of waiting.splice(0)) onRefused(reason);
}
