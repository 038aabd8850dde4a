import { closeSync, fsync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { formatCount } from '../../format-count.js';
import { segmentPath, syncFolder } from './journal-folder.js';

export interface JournalOptions {
  /** An existing, empty folder. */
  readonly folder: string;
  /** 'power' syncs lines to the disk before it calls back. */
  readonly durability: 'process' | 'power';
  /** Called when a write or a sync fails, or a line is lost: once until it succeeds. */
  readonly onError: (error: unknown) => void;
  /** Called with the errors of callbacks. Must not throw. */
  readonly onCallbackError: (error: unknown) => void;
  readonly segmentBytes?: number;
  /** Writes bytes at a position of a file and returns their number, like `writeSync`. */
  readonly writeFile?: (file: number, bytes: Uint8Array, position: number) => number;
  /** Syncs a file to the disk, like `fsync`. */
  readonly sync?: (file: number, callback: (error: Error | null) => void) => void;
  readonly syncFolder?: (path: string) => void;
}

/** `isSafe` is false when the line had to be synced and is not. */
export type OnWritten = (isSafe: boolean) => void;

interface EncodedLines {
  readonly bytes: Buffer;
  /** The number of lines appended up to these. */
  readonly end: number;
}

const defaultSegmentBytes = 8 * 1024 * 1024;
const retryMs = 100;
// The lines that wait in memory. After a long failure, writing them takes about 80 ms.
const maxWaitingBytes = 64 * 1024 * 1024;

/**
 * A write-ahead log: a response is sent after its line is written. The lines of one turn of the event
 * loop are one write to a file, so they survive the end of the process. The ingester moves them into
 * storage later, because storage may be locked, full or unavailable.
 *
 * When the file cannot be written, such as on a full disk, lines wait in memory and responses are
 * still sent. `isHealthy` is then false, and the journal retries. Beyond 64 MB, further lines are lost
 * and counted. With durability 'power', callbacks learn that their lines are not on the disk.
 */
export class Journal {
  readonly #options: Required<JournalOptions>;
  #segment = 1;
  #file: number;
  #size = 0;
  /** Lines that are not encoded yet. */
  #lines = '';
  /** Lines that are not in the file yet because writes fail. Each line is encoded once. */
  #backlog: EncodedLines[] = [];
  #backlogBytes = 0;
  #writtenCount = 0;
  appendedCount = 0;
  /** The number of lines that were lost because too many waited in memory. */
  lostCount = 0;
  /** How many of them are in the log. */
  #reportedLost = 0;
  #waiting: OnWritten[] = [];
  #retry: NodeJS.Timeout | undefined;
  /** False while lines wait in memory because they cannot be written. */
  #isWritten = true;
  /** False from a failed sync until one succeeds. */
  #isSynced = true;
  #syncRetry: NodeJS.Timeout | undefined;
  /** Syncs in flight. They need the file to stay open. */
  #syncs = 0;
  #failedSyncs = 0;
  #isClosed = false;

  constructor(options: JournalOptions) {
    this.#options = {
      segmentBytes: defaultSegmentBytes,
      writeFile: (file, bytes, position) => writeSync(file, bytes, 0, undefined, position),
      sync: fsync,
      syncFolder,
      ...options,
    };
    this.#file = this.#open(this.#segment);
  }

  get isHealthy(): boolean {
    return this.#isWritten && this.#isSynced;
  }

  /** Whether the next line would not be safe: with durability 'power', while lines cannot be synced. */
  get isUnsafe(): boolean {
    return this.#options.durability === 'power' && !this.isHealthy;
  }

  get unwrittenCount(): number {
    return this.appendedCount - this.#writtenCount;
  }

  /** Writes a line, which must end with its only line feed, then calls `onWritten`. */
  append(line: string, onWritten: OnWritten): void {
    this.#collect(line);
    // Responses that are written together, after all input of the turn, wake the client once. Between
    // reads, they wake it each time, which takes a third more time.
    if (this.#waiting.push(onWritten) === 1) setImmediate(() => this.#flush());
  }

  /**
   * Writes a line and calls `onWritten` at once, unless the line must be synced. API calls use it,
   * because sending their responses together makes clients and server wait for each other in turn. That
   * costs a third of the requests per second.
   */
  appendNow(line: string, onWritten: OnWritten): void {
    if (this.#options.durability === 'power') {
      this.append(line, onWritten);
      return;
    }
    this.#collect(line);
    this.#tryToWrite();
    onWritten(true);
  }

  /** Writes the remaining lines and closes the file. Throws when lines would be lost. */
  close(): void {
    clearTimeout(this.#retry);
    this.#flush();
    clearTimeout(this.#retry);
    clearTimeout(this.#syncRetry);
    this.#reportLost();
    this.#isClosed = true;
    try {
      this.#write();
    } catch (cause) {
      throw new Error(`lost ${formatCount(this.unwrittenCount, 'line')}`, { cause });
    } finally {
      closeSync(this.#file);
    }
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    const callBack = (isSafe: boolean) => {
      for (const onWritten of waiting) {
        // An error of one callback must not prevent the others.
        try {
          onWritten(isSafe);
        } catch (error) {
          this.#options.onCallbackError(error);
        }
      }
    };
    const isWritten = this.#tryToWrite();
    if (this.#options.durability === 'process') callBack(true);
    else if (!isWritten) callBack(false);
    else this.#sync(callBack);
  }

  #sync(onSynced: OnWritten): void {
    const failedBefore = this.#failedSyncs;
    this.#syncs += 1;
    this.#options.sync(this.#file, (error) => {
      this.#syncs -= 1;
      if (error) {
        this.#failedSyncs += 1;
        if (this.#isSynced) this.#options.onError(error);
        this.#isSynced = false;
        this.#syncLater();
      }
      // The operating system reports an error to one sync only, also if others have lost lines, too.
      const isSafe = this.#failedSyncs === failedBefore;
      if (isSafe) this.#isSynced = true;
      onSynced(isSafe);
    });
  }

  /** Tries again without visits, too: a node that is not ready gets none. */
  #syncLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#syncRetry);
    this.#syncRetry = setTimeout(() => this.#sync(() => {}), retryMs);
    this.#syncRetry.unref();
  }

  #collect(line: string): void {
    if (this.#backlogBytes + this.#lines.length + line.length > maxWaitingBytes) {
      this.lostCount += 1;
      if (this.lostCount === this.#reportedLost + 1) {
        this.#options.onError(new Error('64 MB of lines wait: others are lost'));
      }
      return;
    }
    this.#lines += line;
    this.appendedCount += 1;
  }

  /** Returns whether all lines are in the file. While writes fail, only the timer retries. */
  #tryToWrite(): boolean {
    if (this.#isWritten) this.#writeOrRetryLater();
    return this.#isWritten;
  }

  #writeOrRetryLater(): void {
    try {
      this.#write();
      this.#isWritten = true;
      this.#reportLost();
    } catch (error) {
      if (this.#isWritten) this.#options.onError(error);
      this.#isWritten = false;
      this.#retry = setTimeout(() => this.#writeOrRetryLater(), retryMs);
      this.#retry.unref();
    }
  }

  #reportLost(): void {
    const lost = this.lostCount - this.#reportedLost;
    this.#reportedLost = this.lostCount;
    if (lost > 0)
      this.#options.onError(new Error(`${lost} lines were lost: 64 MB of others waited`));
  }

  #write(): void {
    if (this.#lines !== '') {
      const bytes = Buffer.from(this.#lines);
      this.#backlog.push({ bytes, end: this.appendedCount });
      this.#backlogBytes += bytes.length;
      this.#lines = '';
    }
    let index = 0;
    try {
      for (const { bytes, end } of this.#backlog) {
        if (this.#size >= this.#options.segmentBytes && this.#syncs === 0) this.#rotate();
        this.#writeBytes(bytes);
        index += 1;
        this.#backlogBytes -= bytes.length;
        this.#writtenCount = end;
      }
    } finally {
      this.#backlog.splice(0, index);
    }
  }

  #writeBytes(bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) {
        const rest = bytes.subarray(written);
        written += this.#options.writeFile(this.#file, rest, this.#size + written);
      }
    } catch (error) {
      // Part of a line at the end would corrupt the next line.
      if (written > 0) ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }

  #rotate(): void {
    const full = this.#file;
    this.#file = this.#open(this.#segment + 1);
    this.#segment += 1;
    this.#size = 0;
    closeSync(full);
  }

  /** Creates a segment. With durability 'power', its name is on the disk before it has a line. */
  #open(segment: number): number {
    const { folder, durability, syncFolder } = this.#options;
    const path = segmentPath(folder, segment);
    const file = openSync(path, 'wx', 0o600);
    if (durability === 'process') return file;
    try {
      syncFolder(folder);
      return file;
    } catch (error) {
      closeSync(file);
      rmSync(path);
      throw error;
    }
  }
}
