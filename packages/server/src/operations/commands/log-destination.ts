import { fstatSync, writeFileSync } from 'node:fs';
import { pino } from 'pino';

// About 3,000 lines, which a reader that is only slow takes later.
const maxQueuedBytes = 1024 * 1024;

/** Writes a line. Calls `onLost` when one that it has queued could not be written. */
type Write = (line: string, onLost: () => void) => void;

/**
 * Opens a destination of log lines on stderr that never throws and never waits. While it cannot be
 * written, such as on a full disk, or with a pipe that is closed or that nobody reads, lines are
 * dropped and counted. The first line after that follows a line with their number, which `format` changes as
 * the logger does its own.
 */
export function openLogDestination(write = openStream(), format = (line: string) => line) {
  let dropped = 0;
  let unreported = 0;
  const countDropped = () => {
    dropped += 1;
    unreported += 1;
  };
  return {
    /** Returns the number of lines that were dropped since the start. */
    dropped: () => dropped,
    write(line: string): void {
      try {
        if (unreported > 0) {
          // The disk may have cut the line before.
          write(`\n${format(droppedLine(unreported))}`, countDropped);
          unreported = 0;
        }
        write(line, countDropped);
      } catch {
        countDropped();
      }
    },
  };
}

/**
 * A write to the file descriptor of a pipe or a socket waits for the reader. A stream does not: it queues
 * the line. Files are written at once, so that the error of a full disk is known.
 */
function openStream(): Write {
  // Not in numbers: Node 20's `realpathSync` reads the numbers of the last call, and those of a pipe make
  // it return the path of a symbolic link. `require` would then not find the packages of a package.
  const stats = fstatSync(2, { bigint: true });
  if (!stats.isFIFO() && !stats.isSocket()) return (line) => writeFileSync(2, line);
  const stream = process.stderr;
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  return (line, onLost) => {
    if (failure) throw failure;
    if (stream.writableLength + line.length > maxQueuedBytes) {
      throw new Error(`the reader of stderr is more than ${maxQueuedBytes} bytes behind`);
    }
    stream.write(line, (error) => error && onLost());
  };
}

function droppedLine(count: number): string {
  const msg = 'log lines were dropped, because stderr could not be written';
  const level = pino.levels.values.warn;
  return `${JSON.stringify({ level, time: new Date().toISOString(), count, msg })}\n`;
}
