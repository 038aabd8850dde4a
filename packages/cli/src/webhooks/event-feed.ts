import { setTimeout as sleep } from 'node:timers/promises';
import { formatCount, formatJson } from '@shorty/report';
import { type EventPage, type EventType, type Shorty, ShortyError } from '@shorty/sdk';
import { reasonOf } from '../cli-error.js';
import type { Context } from '../context.js';
import type { Formats } from '../format-rows.js';
import type { Io } from '../io.js';
import { type LiveView, noLiveView, openStatusLine } from '../ui/live-view.js';

const waitSeconds = 20;
const timeoutMs = 45_000;
const minDelayMs = 250;
const maxDelayMs = 5_000;

/** The formats of commands that print what happens: for people on a terminal. */
export function liveFormats({ stdout }: Pick<Io, 'stdout'>): Formats {
  return stdout.isTTY ? ['table', 'ndjson'] : ['ndjson', 'table'];
}

/**
 * Follows events and prints what they contain. For people at a terminal, a line below it shows the connection
 * and how much came.
 */
export class EventFeed {
  #isConnected = true;
  readonly #counts: Map<string, number>;

  private constructor(
    private readonly context: Context,
    private readonly live: LiveView,
    nouns: readonly string[],
  ) {
    this.#counts = new Map(nouns.map((noun) => [noun, 0]));
    this.#show();
  }

  /** Shows how many of these came, from now on until `pages` ends. */
  static async open(context: Context, ...nouns: readonly string[]): Promise<EventFeed> {
    const live = context.output.format === 'table' ? await openStatusLine(context) : noLiveView;
    return new EventFeed(context, live, nouns);
  }

  /**
   * Yields pages of events from a cursor on, until the command is interrupted or stdout is closed. Tries again
   * while the server is away.
   */
  async *pages(client: Shorty, start: string, type?: EventType): AsyncGenerator<EventPage> {
    const { io, output } = this.context;
    const signal = io.interrupt;
    let after = start;
    let delayMs = minDelayMs;
    try {
      while (!signal.aborted && !output.isClosed) {
        try {
          const query = { after, limit: 100, wait: waitSeconds, ...(type && { type }) };
          const page = await client.events.list(query, { signal, timeoutMs, maxRetries: 0 });
          this.#setConnected(true, 'connected again');
          delayMs = minDelayMs;
          yield page;
          after = page.nextAfter;
        } catch (error) {
          if (signal.aborted) return;
          if (!isTemporary(error)) throw error;
          this.#setConnected(
            false,
            `no connection to the server, trying again: ${reasonOf(error)}`,
          );
          await sleep(delayMs, undefined, { signal }).catch(() => {});
          delayMs = Math.min(maxDelayMs, 2 * delayMs);
        }
      }
    } finally {
      this.live.close();
    }
  }

  /** Prints and counts what came: for people in a line of this width, otherwise as JSON. */
  async print(
    item: object,
    describe: (width: number) => string,
    ...nouns: readonly string[]
  ): Promise<void> {
    const { output } = this.context;
    const line = output.format === 'table' ? describe(output.width ?? Infinity) : formatJson(item);
    await output.write(`${line}\n`);
    for (const noun of nouns) this.#counts.set(noun, (this.#counts.get(noun) ?? 0) + 1);
    this.#show();
  }

  #setConnected(isConnected: boolean, note: string): void {
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    this.context.output.note(note);
    this.#show();
  }

  #show(): void {
    const state = this.#isConnected ? 'listening' : 'no connection, trying again';
    const counts = [...this.#counts].map(([noun, count]) => formatCount(count, noun));
    this.live.show([[state, ...counts, 'Ctrl-C stops'].join('  ')]);
  }
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof ShortyError)) return false;
  return error.status === undefined || error.status >= 500 || error.status === 429;
}
