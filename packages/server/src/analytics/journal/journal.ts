import { closeSync, fdatasync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { TurnBatch } from '../../turn-batch.js';
import { segmentPath } from './journal-folder.js';

export interface JournalOptions {
  /** An existing, empty folder. */
  readonly folder: string;
  /** 'power' syncs lines to the disk before it calls back. */
  readonly durability: 'process' | 'power';
  /** Called when a write or a sync fails. Repeated write errors are reported once until one succeeds. */
  readonly onError: (error: unknown) => void;
  /** Called with the errors of callbacks. Must not throw. */
  readonly onCallbackError: (error: unknown) => void;
  /** The size at which the next segment begins. */
  readonly segmentBytes?: number;
}

const defaultSegmentBytes = 8 * 1024 * 1024;
const retryMs = 100;

/**
 * A write-ahead log: a response is sent after its line is written. The lines of one turn of the event
 * loop are one write to a file, so they survive the end of the process. The ingester moves them into
 * storage later, because storage may be locked, full or unavailable.
 *
 * When the file cannot be written, such as on a full disk, lines wait in memory and responses are
 * still sent. `isHealthy` is then false, and the journal retries.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #segmentBytes: number;
  #segment = 1;
  #file: number;
  /** Bytes of whole lines in the current segment. */
  #size = 0;
  /** Lines that are not in the file yet. */
  #unwritten = '';
  #unwrittenCount = 0;
  #appendedCount = 0;
  readonly #turns = new TurnBatch<() => void>((waiting) => this.#flush(waiting));
  #retry: NodeJS.Timeout | undefined;
  #isHealthy = true;
  /** Syncs in flight. They need the file to stay open. */
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

  /** The number of lines appended since the start. */
  get appendedCount(): number {
    return this.#appendedCount;
  }

  /** The number of lines that wait in memory. */
  get unwrittenCount(): number {
    return this.#unwrittenCount;
  }

  /** Writes a line, which must end with its only line feed, then calls `onWritten`. */
  append(line: string, onWritten: () => void): void {
    this.#collect(line);
    this.#turns.add(onWritten);
  }

  /**
   * Writes a line and calls `onWritten` before it returns, unless the line must be synced. Slow
   * requests use it: if their responses were sent together, the server would then wait for clients.
   */
  appendNow(line: string, onWritten: () => void): void {
    if (this.#options.durability === 'power') {
      this.append(line, onWritten);
      return;
    }
    this.#collect(line);
    // While writes fail, a retry is scheduled.
    if (this.#isHealthy) this.#tryToWrite();
    onWritten();
  }

  /** Writes the remaining lines and closes the file. Throws when lines would be lost. */
  close(): void {
    clearTimeout(this.#retry);
    this.#turns.flush();
    this.#write();
    closeSync(this.#file);
  }

  #flush(waiting: readonly (() => void)[]): void {
    const callBack = () => {
      for (const onWritten of waiting) {
        // An error of one callback must not prevent the others.
        try {
          onWritten();
        } catch (error) {
          this.#options.onCallbackError(error);
        }
      }
    };
    if (!this.#tryToWrite() || this.#options.durability === 'process') callBack();
    else {
      this.#syncs += 1;
      fdatasync(this.#file, (error) => {
        this.#syncs -= 1;
        if (error) this.#options.onError(error);
        callBack();
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
      this.#handleWriteError(error);
      return false;
    }
  }

  #write(): void {
    if (this.#size >= this.#segmentBytes && this.#syncs === 0) this.#rotate();
    if (this.#unwritten !== '') {
      const bytes = Buffer.from(this.#unwritten);
      this.#writeBytes(bytes);
      this.#size += bytes.length;
      this.#unwritten = '';
      this.#unwrittenCount = 0;
    }
    this.#isHealthy = true;
  }

  #writeBytes(bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) {
        written += writeSync(this.#file, bytes, written, undefined, this.#size + written);
      }
    } catch (error) {
      // Part of a line at the end would corrupt the next line.
      if (written > 0) ftruncateSync(this.#file, this.#size);
      throw error;
    }
  }

  #handleWriteError(error: unknown): void {
    if (this.#isHealthy) this.#options.onError(error);
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
      // Lines are written to the full segment until the next one can be created.
      this.#segment -= 1;
      this.#options.onError(error);
      return;
    }
    this.#size = 0;
    closeSync(full);
  }

  #open(): number {
    return openSync(segmentPath(this.#options.folder, this.#segment), 'wx', 0o600);
  }
}
