import { fstatSync, writeSync } from 'node:fs';
import { pino } from 'pino';

// About 3,000 lines, which a reader that is only slow takes later.
const maxQueuedBytes = 1024 * 1024;

/**
 * Writes bytes and returns their number, like `writeSync`. Calls `onLost` when bytes that it has
 * queued could not be written.
 */
type Write = (bytes: Uint8Array, onLost: () => void) => number;

/**
 * A destination of log lines on stderr that never throws and never waits. While it cannot be
 * written, such as on a full disk, or with a pipe that is closed or that nobody reads, lines are
 * dropped and counted. The first line after that follows a line with their number.
 */
export class LogDestination {
  /** The number of lines that were dropped since the start. */
  dropped = 0;
  readonly #write: Write;
  readonly #format: (line: string) => string;
  #unreported = 0;
  /** True after a line of which only a part was written. */
  #isTorn = false;

  /** `format` changes the line with the number of dropped ones, as the logger does its own. */
  constructor(write = openStream(), format = (line: string) => line) {
    this.#write = write;
    this.#format = format;
  }

  write(line: string): void {
    try {
      if (this.#unreported > 0) {
        this.#writeAll(this.#format(droppedLine(this.#unreported)));
        this.#unreported = 0;
      }
      this.#writeAll(line);
    } catch {
      this.#countDropped();
    }
  }

  readonly #countDropped = (): void => {
    this.dropped += 1;
    this.#unreported += 1;
  };

  #writeAll(line: string): void {
    let bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
    while (bytes.length > 0) {
      const written = this.#write(bytes, this.#countDropped);
      bytes = bytes.subarray(written);
      this.#isTorn = bytes.length > 0;
    }
  }
}

/**
 * A write to a pipe or a socket with `writeSync` waits for the reader. A stream does not: it queues the
 * bytes. Files are written with `writeSync`, so that the error of a full disk is known at once.
 */
function openStream(): Write {
  // Not in numbers: Node 20's `realpathSync` reads the numbers of the last call, and those of a pipe make
  // it return the path of a symbolic link. `require` would then not find the packages of a package.
  const stats = fstatSync(2, { bigint: true });
  if (!stats.isFIFO() && !stats.isSocket()) return (bytes) => writeSync(2, bytes);
  const stream = process.stderr;
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  return (bytes, onLost) => {
    if (failure) throw failure;
    if (stream.writableLength + bytes.length > maxQueuedBytes) {
      throw new Error(`the reader of stderr is more than ${maxQueuedBytes} bytes behind`);
    }
    stream.write(bytes, (error) => error && onLost());
    return bytes.length;
  };
}

function droppedLine(count: number): string {
  let line = '';
  pino(
    { timestamp: pino.stdTimeFunctions.isoTime },
    { write: (text: string) => (line = text) },
  ).warn({ count }, 'log lines were dropped, because stderr could not be written');
  return line;
}
