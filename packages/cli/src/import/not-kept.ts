import { formatCount } from '../format.js';
import type { NotKept } from './column.js';
import type { ImportRow } from './plan-chunks.js';

/** Returns `rewrite: Shorty has no …; folderId: …`. */
export function formatNotKept(notKept: readonly NotKept[]): string {
  return notKept.map(({ setting, reason }) => `${setting}: ${reason}`).join('; ');
}

/** The columns that the results of links of another shortener have in addition. */
export const noteColumns = ['note', 'notKept'] as const;

/** Returns the cells of `noteColumns`. */
export function noteCells({ note = '', notKept = [] }: Pick<ImportRow, 'note' | 'notKept'>) {
  return [note, formatNotKept(notKept)];
}

/** The links that lose a setting, by setting. */
export class NotKeptCounts {
  readonly #counts = new Map<string, number>();

  add(notKept: readonly NotKept[]): void {
    for (const setting of new Set(notKept.map((each) => each.setting))) {
      this.#counts.set(setting, (this.#counts.get(setting) ?? 0) + 1);
    }
  }

  record(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  /** `not kept: rewrite of 2 links, folderId of 1 link`; undefined if there is none. */
  describe(): string | undefined {
    if (this.#counts.size === 0) return undefined;
    const counts = [...this.#counts].map(
      ([name, count]) => `${name} of ${formatCount(count, 'link')}`,
    );
    return `not kept: ${counts.join(', ')}`;
  }
}
