import { UsageError } from '../cli-error.js';
import { formatCount, formatInstant, formatNumber } from '../format.js';
import type { JournalState } from './import-journal.js';

export type ResumeMode = 'auto' | 'resume' | 'no-resume' | 'retry-failed';

/** The starting point of an import, given its earlier runs. */
export type Start =
  | { readonly kind: 'fresh' }
  /** Continue after the completed chunks, and append to the output files. */
  | {
      readonly kind: 'continue';
      readonly state: JournalState;
      /** True to send failed rows again. The file for failed rows then starts empty. */
      readonly isRetry: boolean;
      readonly outBytes: number;
      readonly failedOutBytes: number;
    }
  /** Repeat from the first row with the same keys. The server replays its responses. */
  | { readonly kind: 'rewind'; readonly state: JournalState; readonly isFinished: boolean };

export interface OutputFact {
  readonly path: string | undefined;
  /** The length of the file at `path`; undefined when the file does not exist. */
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

// The server stores keys for 24 hours. The margin is for requests that are still being retried.
const keyLifetimeMs = (24 * 60 - 15) * 60 * 1000;

export function decideStart(facts: StartFacts): Start {
  const { journal, mode, now } = facts;
  if (mode === 'no-resume') return { kind: 'fresh' };
  if (!journal) {
    if (mode === 'auto') return { kind: 'fresh' };
    throw new UsageError(
      `this file has no ${mode === 'resume' ? 'interrupted' : 'earlier'} import`,
      `without --${mode} the import starts at the first row`,
    );
  }
  if (mode === 'retry-failed') return decideRetry(journal, facts);
  if (journal.finishedAt !== undefined) return decideFinished(journal, journal.finishedAt, facts);
  const hasRequestsInFlight = !journal.isStopped;
  if (hasRequestsInFlight && now - journal.lastAt >= keyLifetimeMs && mode !== 'resume') {
    throw new UsageError(
      `this import stopped more than a day ago, on ${formatInstant(journal.lastAt)}, after ${formatCount(journal.rows, 'row')}`,
      '--resume continues there, but may create the links of unfinished requests twice; --no-resume imports the whole file again',
    );
  }
  const isOutIntact = canContinue(journal.outPath, journal.outBytes, facts.out);
  const isFailedOutIntact = canContinue(
    journal.failedOutPath,
    journal.failedOutBytes,
    facts.failedOut,
  );
  if (isOutIntact && isFailedOutIntact) {
    const { outBytes, failedOutBytes } = journal;
    return { kind: 'continue', state: journal, isRetry: false, outBytes, failedOutBytes };
  }
  if (now - journal.startedAt < keyLifetimeMs) {
    return { kind: 'rewind', state: journal, isFinished: false };
  }
  throw new UsageError(
    'the output files of the interrupted import are missing or differ, and it is too old to rewrite them',
    'use the same --out and --failed-out files, or --no-resume to import the whole file again',
  );
}

function decideRetry(journal: JournalState, facts: StartFacts): Start {
  if (journal.finishedAt === undefined && !journal.isStopped) {
    throw new UsageError(
      'the import of this file is not finished, so its failed rows are not all known',
      'run the same command without --retry-failed first',
    );
  }
  const isOutIntact = canContinue(journal.outPath, journal.outBytes, facts.out);
  const outBytes = isOutIntact ? journal.outBytes : 0;
  return { kind: 'continue', state: journal, isRetry: true, outBytes, failedOutBytes: 0 };
}

function decideFinished(journal: JournalState, finishedAt: number, facts: StartFacts): Start {
  const summary = `this file was imported on ${formatInstant(finishedAt)}: ${formatCount(journal.rows, 'row')}, ${formatNumber(journal.created)} created, ${formatNumber(journal.failed)} failed`;
  if (facts.mode === 'resume') {
    throw new UsageError(`nothing to resume: ${summary}`, '--no-resume imports it a second time');
  }
  if (facts.now - journal.startedAt < keyLifetimeMs) {
    return { kind: 'rewind', state: journal, isFinished: true };
  }
  throw new UsageError(summary, '--no-resume imports it a second time');
}

function canContinue(path: string | undefined, bytes: number, output: OutputFact): boolean {
  if (path !== output.path) return false;
  return path === undefined || (output.length !== undefined && output.length >= bytes);
}
