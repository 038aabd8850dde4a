import type { Clock } from '../../ports.js';
import { JournalFolder } from '../journal/journal-folder.js';
import { parseLines } from '../journal/journal-lines.js';
import {
  findJournalEnd,
  isBefore,
  type JournalPosition,
  readJournal,
  removeReadSegments,
} from '../journal/journal-reader.js';
import type { VisitRepository } from './visit-repository.js';

export interface VisitIngesterOptions {
  readonly visits: VisitRepository;
  /** The folder with one journal folder for each writer. */
  readonly root: string;
  /** The writer whose journal `ingest` reads. */
  readonly writerId: string;
  readonly folder: string;
  readonly clock: Clock;
}

/** Moves visits from journals into storage exactly once, even when the process is killed. */
export class VisitIngester {
  readonly #options: VisitIngesterOptions;

  constructor(options: VisitIngesterOptions) {
    this.#options = options;
  }

  /** Stores the lines that the writer's journal has when the call begins. Returns their number. */
  ingest(): Promise<number> {
    return this.#ingestFolder(this.#options.folder, this.#options.writerId);
  }

  /** Stores and removes the journals of processes that ended early. Returns the number of lines. */
  async recoverOrphans(): Promise<number> {
    let storedLines = 0;
    const folders = JournalFolder.claimOrphans(this.#options.root);
    try {
      for (const folder of folders) {
        storedLines += await this.#ingestFolder(folder.path, folder.writerId);
        // The position is deleted last: without it, a remaining folder would be stored again.
        folder.remove();
        await this.#options.visits.deletePosition(folder.writerId);
      }
    } finally {
      // After an error, the next call claims the remaining folders again.
      for (const folder of folders) folder.release();
    }
    return storedLines;
  }

  async #ingestFolder(folder: string, writerId: string): Promise<number> {
    const { visits, clock } = this.#options;
    let position: JournalPosition = await visits.findPosition(writerId);
    let storedLines = 0;
    // Later lines belong to the next call. Under constant traffic, each transaction takes long enough
    // for more lines, so this loop would not end.
    const end = findJournalEnd(folder);
    while (end && isBefore(position, end)) {
      const chunk = readJournal(folder, position);
      if (!chunk) break;
      const records = parseLines(chunk.lines);
      const isStored = await visits.store(writerId, position, chunk.position, records, clock());
      if (!isStored) throw new Error(`journal ${writerId}: another process is storing it, too`);
      storedLines += chunk.lines.length;
      position = chunk.position;
    }
    removeReadSegments(folder, position);
    return storedLines;
  }
}
