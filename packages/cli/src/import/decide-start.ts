import { UsageError } from '../cli-error.js';
import { formatCount, formatInstant, formatNumber } from '../format.js';
import type { JournalState } from './import-journal.js';

export type ResumeMode = 'auto' | 'resume' | 'no-resume';

/** How an import begins, given what is known of earlier runs of it. */
export type Start =
  | { readonly kind: 'fresh' }
  /** Behind the chunks that are done. */
  | { readonly kind: 'continue'; readonly state: JournalState }
  /** From the first row under the same keys: the server answers again and makes nothing twice. */
  | { readonly kind: 'rewind'; readonly state: JournalState; readonly isFinished: boolean };

export interface OutputFact {
  readonly path: string | undefined;
  /** How long the file at `path` is; undefined where there is none. */
  readonly length: number | undefined;
}

export interface StartFacts {
  readonly journal: JournalState | undefined;
  readonly mode: ResumeMode;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly out: OutputFact;
  readonly failedOut: OutputFact;
}

// The server remembers keys for 24 hours. The rest is for requests that are still being repeated.
const rememberedMs = (24 * 60 - 15) * 60 * 1000;

export function decideStart(facts: StartFacts): Start {
  const { journal, mode, now } = facts;
  if (mode === 'no-resume') return { kind: 'fresh' };
  if (!journal) {
    if (mode === 'auto') return { kind: 'fresh' };
    throw new UsageError(
      'there is no interrupted import of this file to resume',
      'without --resume it is imported from its first row',
    );
  }
  if (journal.finishedAt !== undefined) return decideFinished(journal, journal.finishedAt, facts);
  if (now - journal.lastAt >= rememberedMs && mode !== 'resume') {
    throw new UsageError(
      `this import was interrupted on ${formatInstant(journal.lastAt)} after ${formatCount(journal.rows, 'row')}, more than a day ago`,
      '--resume goes on there, but the few requests that were under way then may be made twice; --no-resume imports the whole file again',
    );
  }
  const isOutIntact = canContinue(journal.outPath, journal.outBytes, facts.out);
  const isFailedOutIntact = canContinue(
    journal.failedOutPath,
    journal.failedOutBytes,
    facts.failedOut,
  );
  if (isOutIntact && isFailedOutIntact) return { kind: 'continue', state: journal };
  if (now - journal.startedAt < rememberedMs) {
    return { kind: 'rewind', state: journal, isFinished: false };
  }
  throw new UsageError(
    'the output files of the interrupted import are gone or others are named, and it began too long ago to write them anew',
    'name the same --out and --failed-out files, or import the whole file again with --no-resume',
  );
}

function decideFinished(journal: JournalState, finishedAt: number, facts: StartFacts): Start {
  const told = `this file was imported on ${formatInstant(finishedAt)}: ${formatCount(journal.rows, 'row')}, ${formatNumber(journal.created)} created, ${formatNumber(journal.failed)} failed`;
  if (facts.mode === 'resume') {
    throw new UsageError(
      `there is nothing to resume: ${told}`,
      '--no-resume imports it a second time',
    );
  }
  if (facts.now - journal.startedAt < rememberedMs) {
    return { kind: 'rewind', state: journal, isFinished: true };
  }
  throw new UsageError(told, '--no-resume imports it a second time');
}

function canContinue(path: string | undefined, bytes: number, output: OutputFact): boolean {
  if (path !== output.path) return false;
  return path === undefined || (output.length !== undefined && output.length >= bytes);
}
