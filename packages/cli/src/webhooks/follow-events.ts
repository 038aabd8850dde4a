import { setTimeout as sleep } from 'node:timers/promises';
import { type EventPage, type EventType, type Shorty, ShortyError } from '@shorty/sdk';
import { reasonOf } from '../cli-error.js';
import { formatOption, type OptionRows } from '../command.js';
import type { Context } from '../context.js';
import { resolveFormat } from '../output.js';

const waitSeconds = 20;
const timeoutMs = 45_000;
const minDelayMs = 250;
const maxDelayMs = 5_000;

/** The `--output` of commands that print what happens. */
export const liveFormatOption: OptionRows = formatOption(
  ['table', 'ndjson'],
  'output format (default: table on a terminal, otherwise ndjson)',
);

export function resolveLiveFormat({ flags, io }: Context) {
  return resolveFormat(flags, io.stdout.isTTY ? ['table', 'ndjson'] : ['ndjson', 'table']);
}

/**
 * Yields pages of events from a cursor on, until the command is interrupted or stdout is closed. Tries again
 * while the server is away.
 */
export async function* followEvents(
  context: Context,
  client: Shorty,
  start: string,
  type?: EventType,
): AsyncGenerator<EventPage> {
  const { io, output } = context;
  const signal = io.interrupt;
  let after = start;
  let delayMs = minDelayMs;
  let isAway = false;
  while (!signal.aborted && !output.isClosed) {
    try {
      const query = { after, limit: 100, wait: waitSeconds, ...(type && { type }) };
      const page = await client.events.list(query, { signal, timeoutMs, maxRetries: 0 });
      if (isAway) output.note('connected again');
      isAway = false;
      delayMs = minDelayMs;
      yield page;
      after = page.nextAfter;
    } catch (error) {
      if (signal.aborted) return;
      if (!isTemporary(error)) throw error;
      if (!isAway) {
        output.note(`no connection to the server, trying again: ${reasonOf(error)}`);
      }
      isAway = true;
      await sleep(delayMs, undefined, { signal }).catch(() => {});
      delayMs = Math.min(maxDelayMs, 2 * delayMs);
    }
  }
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof ShortyError)) return false;
  return error.status === undefined || error.status >= 500 || error.status === 429;
}
