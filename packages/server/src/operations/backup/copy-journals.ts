import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { segmentPath, segmentsIn } from '../../analytics/journal/journal-folder.js';

export interface CopiedJournal {
  readonly writerId: string;
  readonly folder: string;
}

/**
 * Copies the segments of every writer's journal. A segment or a folder that disappears meanwhile has
 * been moved into storage completely.
 */
export function copyJournals(root: string, to: string): CopiedJournal[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name: writerId }) => {
      const folder = join(to, writerId);
      mkdirSync(folder, { recursive: true });
      const source = join(root, writerId);
      for (const segment of ignoreMissing(() => segmentsIn(source)) ?? []) {
        ignoreMissing(() =>
          copyFileSync(segmentPath(source, segment), segmentPath(folder, segment)),
        );
      }
      return { writerId, folder };
    });
}

function ignoreMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
