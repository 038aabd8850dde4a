import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Shorty,
  ShortyError,
  type SubscribedEventType,
  type WebhookCreateRequest,
  type WebhookStream,
} from '@shorty/sdk';
import { signBody } from '@shorty/webhook-verifier';
import { CliError } from '../cli-error.js';
import type { Context } from '../context.js';
import { readEvents, type StreamEvent } from './event-stream.js';
import { type ForwardedResponse, forward, reasonOf } from './forward.js';
import { inspectDelivery, type Received } from './received.js';

export interface StreamSessionOptions {
  readonly context: Context;
  readonly events: readonly [SubscribedEventType, ...SubscribedEventType[]];
  readonly filters?: WebhookCreateRequest['filters'];
  readonly replayLast: number;
  /** Signs deliveries again for the receiver; undefined forwards the signatures of the server. */
  readonly ownSecret: string | undefined;
  /** Undefined: deliveries are printed only. */
  readonly target: URL | undefined;
  readonly onOpened: (stream: WebhookStream, isFirst: boolean) => void;
  readonly onReceived: (received: Received, stream: WebhookStream) => Promise<void>;
}

interface Outcome {
  readonly deliveryId: string;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly responseBody: string | null;
}

// Three heartbeats of the server.
const idleMs = 45_000;
const minDelayMs = 250;
const maxDelayMs = 5_000;
const maxForwards = 8;
const maxOutcomes = 100;
const maxResponseLength = 2_048;
const deleteTimeoutMs = 3_000;
// The server may be restarting.
const duringRestart = { maxRetries: Number.POSITIVE_INFINITY, deadlineMs: 10 * 60_000 };
// The server never sends again what was delivered so long ago.
const maxKnown = 10_000;

/**
 * Follows a temporary webhook until the command is interrupted: verifies each delivery, forwards it,
 * and reports the outcome. Connects again after a failure, and skips what it has received already. At
 * the end, it deletes the webhook.
 */
export class StreamSession {
  readonly #options: StreamSessionOptions;
  readonly #stopping = new AbortController();
  readonly #known = new Set<string>();
  readonly #waiting: StreamEvent[] = [];
  #forwards = 0;
  #outcomes: Outcome[] = [];
  #reporting: Promise<void> | undefined;
  #client: Shorty | undefined;
  #stream: WebhookStream | undefined;
  #body: ReadableStream<Uint8Array> | undefined;
  #failure: unknown;
  /** Whether the user knows that there is no connection. */
  #isAway = false;

  constructor(options: StreamSessionOptions) {
    this.#options = options;
  }

  /** Runs until the interruption, or until stdout is closed. */
  async run(): Promise<void> {
    const { context, replayLast } = this.#options;
    const { interrupt, fetch } = context.io;
    const stop = () => this.#stopping.abort();
    interrupt.addEventListener('abort', stop);
    this.#client = await context.client({ fetch: this.#keepStreams(fetch) });
    try {
      await this.#create(replayLast, true);
      for (let delayMs = minDelayMs; !this.#isOver; delayMs = Math.min(maxDelayMs, 2 * delayMs)) {
        if (await this.#follow()) delayMs = minDelayMs;
        await sleep(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
      if (this.#failure) throw this.#failure;
    } catch (error) {
      // The interruption has aborted a request.
      if (!interrupt.aborted) throw error;
    } finally {
      interrupt.removeEventListener('abort', stop);
      stop();
      await this.#delete();
    }
  }

  get #isOver(): boolean {
    return this.#stopping.signal.aborted || this.#options.context.output.isClosed;
  }

  async #create(replayLast: number, isFirst: boolean): Promise<void> {
    const { events, filters, onOpened } = this.#options;
    this.#stream = await this.#connected.request(
      'POST',
      '/api/v1/webhooks/streams',
      {
        body: {
          events: [...events],
          ...(filters && { filters }),
          ...(replayLast > 0 && { replayLast }),
        },
      },
      { signal: this.#stopping.signal, ...(!isFirst && duringRestart) },
    );
    onOpened(this.#stream, isFirst);
  }

  get #connected(): Shorty {
    if (!this.#client) throw new Error('the session has not started');
    return this.#client;
  }

  /** Reads the stream until it ends. Returns whether it could be opened. */
  async #follow(): Promise<boolean> {
    const { output } = this.#options.context;
    const { signal } = this.#stopping;
    let isOpen = false;
    this.#body = undefined;
    try {
      await this.#connected.request(
        'GET',
        `/api/v1/webhooks/streams/${this.#stream?.id}`,
        { query: { follow: true } },
        { signal, maxRetries: 0 },
      );
      const body = this.#body;
      if (!body) throw new CliError('the server did not answer with a stream of events');
      isOpen = true;
      if (this.#isAway) output.note('connected again');
      this.#isAway = false;
      for await (const event of readEvents(body, { idleMs, signal })) {
        if (event.type === 'delivery') this.#accept(event);
        if (this.#isOver) return true;
      }
      return true;
    } catch (error) {
      if (signal.aborted) return isOpen;
      const status = error instanceof ShortyError ? error.status : undefined;
      if (status === 404) {
        output.warn(
          'the temporary webhook has expired or was deleted; events since then are missing',
        );
        await this.#create(0, false);
        return true;
      }
      const isTemporary = status === undefined || status >= 500 || status === 429;
      if (!isTemporary || error instanceof CliError) throw error;
      // The end of an open connection is usual: the next one follows at once.
      if (!isOpen && !this.#isAway) {
        this.#isAway = true;
        output.note(`no connection to the server, trying again: ${reasonOf(error)}`);
      }
      return isOpen;
    }
  }

  #accept(event: StreamEvent): void {
    // The server sends deliveries again whose outcomes it does not have yet.
    if (this.#known.has(event.id)) return;
    this.#known.add(event.id);
    const [oldest] = this.#known;
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest);
    this.#waiting.push(event);
    this.#forwardNext();
  }

  #forwardNext(): void {
    const event = this.#forwards < maxForwards ? this.#waiting.shift() : undefined;
    if (!event || this.#stopping.signal.aborted) return;
    this.#forwards += 1;
    this.#handle(event)
      .catch((error: unknown) => {
        this.#failure ??= error;
        this.#stopping.abort();
      })
      .finally(() => {
        this.#forwards -= 1;
        this.#forwardNext();
      });
  }

  async #handle({ id, data }: StreamEvent): Promise<void> {
    const { context, target, ownSecret, onReceived } = this.#options;
    const { now } = context.io;
    const stream = this.#stream as WebhookStream;
    const { headers, body: text } = JSON.parse(data) as {
      headers: Record<string, string>;
      body: string;
    };
    const body = Buffer.from(text);
    const lowerCase = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const { refusalStatus, ...inspection } = inspectDelivery(lowerCase, body, stream.secret, now());
    const startedAt = now();
    let response: ForwardedResponse | undefined;
    let forwardError: string | null = null;
    if (inspection.isVerified !== false && target) {
      const { signal } = this.#stopping;
      try {
        const signed = ownSecret
          ? signBody(text, inspection.type, {
              secret: ownSecret,
              deliveryId: id,
              now: new Date(startedAt),
            })
          : {};
        response = await forward(target, { headers: { ...headers, ...signed }, body, signal });
      } catch (error) {
        if (signal.aborted) return;
        forwardError = reasonOf(error);
      }
    }
    const durationMs = now() - startedAt;
    const isVerified = inspection.isVerified !== false;
    // Without a target, the command itself is the receiver.
    const ownStatus = isVerified ? 204 : refusalStatus;
    const statusCode = response?.status ?? (target && isVerified ? null : ownStatus);
    this.#report({
      deliveryId: id,
      statusCode,
      error: forwardError ?? inspection.refusal,
      durationMs,
      responseBody: response ? startOf(response.body) : null,
    });
    await onReceived(
      {
        receivedAt: new Date(startedAt).toISOString(),
        ...inspection,
        forwardedStatus: response?.status ?? null,
        forwardError,
        durationMs: target && isVerified ? durationMs : null,
      },
      stream,
    );
  }

  /** Reports an outcome. Those that come during a request are sent together after it. */
  #report(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    this.#reporting ??= this.#sendOutcomes()
      .catch((error: unknown) => {
        if (this.#stopping.signal.aborted) return;
        this.#failure ??= error;
        this.#stopping.abort();
      })
      .finally(() => {
        this.#reporting = undefined;
      });
  }

  async #sendOutcomes(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      const outcomes = this.#outcomes.slice(0, maxOutcomes);
      if (outcomes.length === 0) return;
      const params = { id: this.#stream?.id ?? '' };
      try {
        await this.#connected.request(
          'POST',
          '/api/v1/webhooks/streams/{id}/outcomes',
          { params, body: { outcomes } },
          { signal, ...duringRestart },
        );
      } catch (error) {
        // The webhook has expired with its deliveries.
        if (!(error instanceof ShortyError && error.status === 404)) throw error;
      }
      this.#outcomes = this.#outcomes.slice(outcomes.length);
    }
  }

  async #delete(): Promise<void> {
    if (!this.#stream) return;
    const { id } = this.#stream;
    const signal = AbortSignal.timeout(deleteTimeoutMs);
    try {
      await this.#connected.webhooks.delete(id, { signal, maxRetries: 0 });
    } catch (error) {
      if (error instanceof ShortyError && error.status === 404) return;
      this.#options.context.output.warn(
        `the temporary webhook was not deleted: ${reasonOf(error)}; it expires within a minute`,
      );
    }
  }

  /** Returns a fetch that leaves event streams unread for `#follow`. The client reads all others. */
  #keepStreams(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      const response = await fetch(input, init);
      const type = response.headers.get('content-type') ?? '';
      if (!type.startsWith('text/event-stream') || !response.body) return response;
      this.#body = response.body;
      return Response.json({ success: true, data: null });
    };
  }
}

/** Returns the beginning of a body as text, without a last character that was cut. */
function startOf(body: Uint8Array): string {
  return new TextDecoder().decode(body.subarray(0, maxResponseLength), { stream: true });
}
