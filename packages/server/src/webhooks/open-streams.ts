import type { Writable } from 'node:stream';
import { PeriodicService, type Service } from '../lifecycle.js';
import type { Clock } from '../ports.js';
import type { Keyring } from '../storage/keyring.js';
import { headersOf } from './sign-and-send.js';
import type { StreamRepository, StreamState } from './stream-repository.js';

/** A connection that follows a stream. */
export type StreamResponse = Pick<
  Writable,
  'write' | 'end' | 'destroy' | 'destroyed' | 'writableLength' | 'on'
>;

interface OpenStream {
  readonly connectionId: string;
  readonly openedAt: number;
  readonly response: StreamResponse;
}

export interface OpenStreamsOptions {
  readonly streams: Pick<StreamRepository, 'findStates' | 'claim' | 'renew'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** The maximum number of open streams. */
  readonly maxOpen: number;
  readonly onError: (error: unknown) => void;
}

// How often storage is searched for due deliveries, which any node may have created.
const pollEveryMs = 200;
// Proxies close connections that are idle for a minute.
const heartbeatEveryMs = 15_000;
// Then the client connects again, with a token that is still valid.
const maxOpenMs = 10 * 60_000;
// The deliveries that one transaction claims for a stream. A body has up to 100 KB.
const claimedAtOnce = 8;
const maxClaims = 16;
// A client that has more than this to read gets no more deliveries.
const maxUnreadBytes = 64 * 1024;

/**
 * The streams that clients follow on this node. Sends deliveries when they are due, and never waits for
 * a client. A stream expires if its client stops reading.
 */
export class OpenStreams implements Service {
  readonly name = 'webhook streams';
  readonly #options: OpenStreamsOptions;
  readonly #open = new Map<string, OpenStream>();
  readonly #polling: PeriodicService;
  #beatAt = 0;
  #isStopping = false;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
    this.#polling = new PeriodicService({
      name: this.name,
      everyMs: pollEveryMs,
      tick: () => this.#tick(),
      onError: options.onError,
    });
  }

  start(): void {
    this.#polling.start();
  }

  /** Ends all streams. Their clients connect again, to another node or after the restart. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const id of [...this.#open.keys()]) this.#end(id);
    await this.#polling.stop();
  }

  /** Whether a connection may follow this stream. It replaces one that does. */
  hasCapacityFor(id: string): boolean {
    const others = this.#open.size - (this.#open.has(id) ? 1 : 0);
    return !this.#isStopping && others < this.#options.maxOpen;
  }

  /** Sends the deliveries of a stream to a connection until one of them ends. */
  add(id: string, connectionId: string, response: StreamResponse): void {
    if (this.#open.has(id)) this.#end(id);
    if (response.destroyed) return;
    const stream = { connectionId, openedAt: this.#options.clock(), response };
    this.#open.set(id, stream);
    response.on('close', () => {
      if (this.#open.get(id) === stream) this.#open.delete(id);
    });
    // A client that disconnects is no error.
    response.on('error', () => {});
    response.write(streamStart);
    // Since the check, others were opened, or the stop has begun.
    if (this.#isStopping || this.#open.size > this.#options.maxOpen) this.#end(id);
  }

  #end(id: string): void {
    const response = this.#open.get(id)?.response;
    this.#open.delete(id);
    // A client that does not read would not let the response end.
    if (response && response.writableLength > 0) response.destroy();
    else response?.end();
  }

  async #tick(): Promise<void> {
    if (this.#open.size === 0) return;
    const { streams, clock } = this.#options;
    const now = clock();
    // A connection that is added during the query may be newer than the query's result.
    const open = [...this.#open];
    const states = await streams.findStates(
      open.map(([id]) => id),
      now,
    );
    const byId = new Map(states.map((state) => [state.id, state]));
    for (const [id, stream] of open) {
      const isReplaced = byId.get(id)?.connectionId !== stream.connectionId;
      const isOver = now - stream.openedAt >= maxOpenMs;
      // The stream was deleted, or its client has connected again.
      if ((isReplaced || isOver) && this.#open.get(id) === stream) this.#end(id);
    }
    await this.#sendDue(byId);
    if (now - this.#beatAt >= heartbeatEveryMs) {
      this.#beatAt = now;
      await this.#beat(now);
    }
  }

  /** Claims and sends due deliveries. The streams take turns. */
  async #sendDue(states: ReadonlyMap<string, StreamState>): Promise<void> {
    const { streams, clock, keyring } = this.#options;
    const claimable = new Map([...states].map(([id, state]) => [id, state.claimable]));
    for (let round = 0; round < maxClaims; round += 1) {
      const claims = [...claimable].flatMap(([webhookId, left]) => {
        const count = Math.min(claimedAtOnce, left);
        const response = this.#open.get(webhookId)?.response;
        const canSend = response && response.writableLength <= maxUnreadBytes && count > 0;
        return canSend ? [{ webhookId, count }] : [];
      });
      if (claims.length === 0) return;
      const claimed = await streams.claim(claims, clock());
      for (const { webhookId, count } of claims) {
        const own = claimed.filter((delivery) => delivery.webhookId === webhookId);
        const left = (claimable.get(webhookId) ?? 0) - count;
        claimable.set(webhookId, own.length < count ? 0 : left);
        const state = states.get(webhookId);
        const response = this.#open.get(webhookId)?.response;
        if (!state) continue;
        try {
          for (const delivery of own) {
            response?.write(formatDelivery(delivery, state, clock(), keyring));
          }
        } catch (error) {
          // A secret that cannot be decrypted. The other streams must not wait for it.
          this.#end(webhookId);
          this.#options.onError(error);
        }
      }
    }
  }

  /** Lets clients and proxies know that the connection works, and renews the streams that they read. */
  async #beat(now: number): Promise<void> {
    const read: string[] = [];
    for (const [id, { response }] of this.#open) {
      if (response.writableLength > 0) continue;
      response.write(heartbeat);
      read.push(id);
    }
    if (read.length > 0) await this.#options.streams.renew(read, now);
  }
}

const heartbeat = ': heartbeat\n\n';
/** The beginning of each stream: the delay in milliseconds before a client connects again. */
export const streamStart = 'retry: 1000\n\n';

/** Returns a delivery as a server-sent event, signed now. */
export function formatDelivery(
  delivery: { readonly id: string; readonly body: string; readonly eventType: string },
  { endpoint }: Pick<StreamState, 'endpoint'>,
  now: number,
  keyring: Keyring,
): string {
  const headers = headersOf(delivery, endpoint, now, keyring);
  const data = JSON.stringify({ headers, body: delivery.body });
  return `event: delivery\nid: ${delivery.id}\ndata: ${data}\n\n`;
}
