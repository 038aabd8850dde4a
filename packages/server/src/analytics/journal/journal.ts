import { closeSync, fdatasync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { TurnBatch } from '../../turn-batch.js';
import { segmentPath } from './journal-folder.js';

export interface JournalOptions {
  /** Exists already. */
  readonly folder: string;
  /** 'power' syncs to the disk before it tells that lines are kept. */
  readonly durability: 'process' | 'power';
  /** Called when lines cannot be written, once for each time that the trouble begins. */
  readonly onFault: (error: unknown) => void;
  /** Called with what a caller's own callback throws. It must not throw. */
  readonly onCallbackError: (error: unknown) => void;
  /** Bytes after which another segment is begun. */
  readonly segmentBytes?: number;
}

const defaultSegmentBytes = 8 * 1024 * 1024;
const retryMs = 100;

/**
 * Lines that are kept before anybody is told so. What is appended within one turn of the event loop
 * is one write to a file, which survives the end of the process; storage, which may be locked, full
 * or away, is fed from the files by somebody else, at leisure.
 *
 * Should the file itself refuse (a full disk), lines wait in memory and their callers are told to
 * go on: a visitor must not wait for an operator. `isHealthy` says so, and the lines are written as
 * soon as they can be.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #segmentBytes: number;
  #segment = 1;
  #file: number;
  /** Bytes of whole lines in the current segment. */
  #size = 0;
  /** Lines that are not in the file yet, and how many they are. */
  #unwritten = '';
  #unwrittenCount = 0;
  #appendedCount = 0;
  readonly #turns = new TurnBatch<() => void>((waiting) => this.#flush(waiting));
  #retry: NodeJS.Timeout | undefined;
  #isHealthy = true;
  /** Syncs that are under way; the file must stay open for them. */
  #syncs = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#segmentBytes = options.segmentBytes ?? defaultSegmentBytes;
    this.#file = this.#open();
  }

  /** False while lines wait in memory because they cannot be written. */
  get isHealthy(): boolean {
    return this.#isHealthy;
  }

  /** Lines since the start. */
  get appendedCount(): number {
    return this.#appendedCount;
  }

  /** Lines that wait in memory. */
  get unwrittenCount(): number {
    return this.#unwrittenCount;
  }

  /** Keeps a line, which ends with a line feed and has no other, and then calls `onKept`. */
  append(line: string, onKept: () => void): void {
    this.#collect(line);
    this.#turns.add(onKept);
  }

  /**
   * The same, but the line is written before this returns, unless it has to be synced: for answers
   * that take long to make. To send those at the end of a turn, all at once, would have client and
   * server wait for each other by turns.
   */
  appendNow(line: string, onKept: () => void): void {
    if (this.#options.durability === 'power') {
      this.append(line, onKept);
      return;
    }
    this.#collect(line);
    // Otherwise the next try is due soon.
    if (this.#isHealthy) this.#tryToWrite();
    onKept();
  }

  /** Writes what waits and closes the file. Throws when lines would be lost. */
  close(): void {
    clearTimeout(this.#retry);
    this.#turns.flush();
    this.#write();
    closeSync(this.#file);
  }

  #flush(waiting: readonly (() => void)[]): void {
    const tellAll = () => {
      for (const onKept of waiting) {
        // Those of the other callers are still to be called.
        try {
          onKept();
        } catch (error) {
          this.#options.onCallbackError(error);
        }
      }
    };
    if (!this.#tryToWrite() || this.#options.durability === 'process') tellAll();
    else {
      this.#syncs += 1;
      fdatasync(this.#file, (error) => {
        this.#syncs -= 1;
        if (error) this.#options.onFault(error);
        tellAll();
      });
    }
  }

  #collect(line: string): void {
    this.#unwritten += line;
    this.#unwrittenCount += 1;
    this.#appendedCount += 1;
  }

  #tryToWrite(): boolean {
    try {
      this.#write();
      return true;
    } catch (error) {
      this.#suffer(error);
      return false;
    }
  }

  #write(): void {
    if (this.#size >= this.#segmentBytes && this.#syncs === 0) this.#rotate();
    if (this.#unwritten !== '') {
      const bytes = Buffer.from(this.#unwritten);
      this.#writeWhole(bytes);
      this.#size += bytes.length;
      this.#unwritten = '';
      this.#unwrittenCount = 0;
    }
    this.#isHealthy = true;
  }

  #writeWhole(bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) {
        written += writeSync(this.#file, bytes, written, undefined, this.#size + written);
      }
    } catch (error) {
      // Half a line at the end would spoil the next one.
      if (written > 0) ftruncateSync(this.#file, this.#size);
      throw error;
    }
  }

  #suffer(error: unknown): void {
    if (this.#isHealthy) this.#options.onFault(error);
    this.#isHealthy = false;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#flush([]), retryMs);
    this.#retry.unref();
  }

  #rotate(): void {
    const full = this.#file;
    this.#segment += 1;
    try {
      this.#file = this.#open();
    } catch (error) {
      // The full one takes more, until another can be made.
      this.#segment -= 1;
      this.#options.onFault(error);
      return;
    }
    this.#size = 0;
    closeSync(full);
  }

  #open(): number {
    return openSync(segmentPath(this.#options.folder, this.#segment), 'wx', 0o600);
  }
}
