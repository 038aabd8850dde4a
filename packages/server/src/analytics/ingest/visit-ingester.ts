import type { Clock } from '../../ports.js';
import { JournalFolder } from '../journal/journal-folder.js';
import { readLines } from '../journal/journal-lines.js';
import {
  type JournalPosition,
  readJournal,
  removeReadSegments,
} from '../journal/journal-reader.js';
import type { VisitRepository } from './visit-repository.js';

export interface VisitIngesterOptions {
  readonly visits: VisitRepository;
  /** The folder that holds one folder for each writer. */
  readonly root: string;
  /** The living writer whose journal this ingester follows. */
  readonly writerId: string;
  readonly folder: string;
  readonly clock: Clock;
}

/** Moves visits from journals into storage. Whatever it is killed in the middle of, it does once. */
export class VisitIngester {
  readonly #options: VisitIngesterOptions;

  constructor(options: VisitIngesterOptions) {
    this.#options = options;
  }

  /** Moves what the living writer has written; how many lines. */
  runOnce(): Promise<number> {
    return this.#follow(this.#options.folder, this.#options.writerId);
  }

  /** Moves what writers have left that ended without doing so, and removes their folders. */
  async adoptLeftovers(): Promise<number> {
    let moved = 0;
    const folders = JournalFolder.adoptAll(this.#options.root);
    try {
      for (const folder of folders) {
        moved += await this.#follow(folder.path, folder.writerId);
        // The folder first: a position without a folder does no harm, the reverse counts twice.
        folder.remove();
        await this.#options.visits.forgetWriter(folder.writerId);
      }
    } finally {
      // Those that were not reached can be adopted the next time.
      for (const folder of folders) folder.release();
    }
    return moved;
  }

  async #follow(folder: string, writerId: string): Promise<number> {
    const { visits, clock } = this.#options;
    let position: JournalPosition = await visits.findPosition(writerId);
    let moved = 0;
    for (;;) {
      const chunk = readJournal(folder, position);
      if (!chunk) break;
      const { visits: arrived, ...counted } = readLines(chunk.lines);
      const isStored = await visits.store(
        writerId,
        position,
        chunk.position,
        arrived,
        clock(),
        counted,
      );
      if (!isStored) {
        throw new Error(`the journal ${writerId} is moved by somebody else as well`);
      }
      moved += chunk.lines.length;
      position = chunk.position;
    }
    removeReadSegments(folder, position);
    return moved;
  }
}
