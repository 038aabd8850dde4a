import { writeSync } from 'node:fs';
import { pino } from 'pino';

const stderr = 2;

/** Writes bytes and returns their number, like `writeSync`. */
type Write = (bytes: Uint8Array) => number;

/**
 * A destination of log lines on stderr that never throws and never waits. While stderr cannot be
 * written, such as on a full disk or with a closed pipe, lines are dropped and counted. The first line
 * after that follows a line with their number.
 */
export class LogDestination {
  /** The number of lines that were dropped since the start. */
  dropped = 0;
  readonly #write: Write;
  #unreported = 0;
  /** True after a line of which only a part was written. */
  #isTorn = false;

  constructor(write: Write = (bytes) => writeSync(stderr, bytes)) {
    this.#write = write;
  }

  write(line: string): void {
    try {
      if (this.#unreported > 0) {
        this.#writeAll(droppedLine(this.#unreported));
        this.#unreported = 0;
      }
      this.#writeAll(line);
    } catch {
      this.dropped += 1;
      this.#unreported += 1;
    }
  }

  #writeAll(line: string): void {
    let bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
    while (bytes.length > 0) {
      const written = this.#write(bytes);
      bytes = bytes.subarray(written);
      this.#isTorn = bytes.length > 0;
    }
  }
}

function droppedLine(count: number): string {
  let line = '';
  pino({}, { write: (text: string) => (line = text) }).warn(
    { count },
    'log lines were dropped, because stderr could not be written',
  );
  return line;
}
