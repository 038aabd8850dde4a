import type { ImportRow, NotKept } from '@shorty/import';
import { formatCount } from '@shorty/report';

/** Returns `rewrite: Shorty has no …; folderId: …`. */
export function formatNotKept(notKept: readonly NotKept[]): string {
  return notKept.map(({ setting, reason }) => `${setting}: ${reason}`).join('; ');
}

/** What differs between the links of another shortener and their rows. */
export class LinkNotes {
  #paused = 0;
  readonly #notKept = new Map<string, number>();

  add({ note, notKept = [] }: ImportRow): void {
    if (note !== undefined) this.#paused++;
    for (const setting of new Set(notKept.map((each) => each.setting))) {
      this.#notKept.set(setting, (this.#notKept.get(setting) ?? 0) + 1);
    }
  }

  record(): { readonly paused: number; readonly notKept: Readonly<Record<string, number>> } {
    return { paused: this.#paused, notKept: Object.fromEntries(this.#notKept) };
  }

  lines(): string[] {
    const counts = [...this.#notKept].map(
      ([name, count]) => `${name} of ${formatCount(count, 'link')}`,
    );
    return [
      ...(this.#paused > 0
        ? [
            `paused: ${formatCount(this.#paused, 'link')} with an expiry that has passed, a limit of clicks that is used up, or a password that the file does not contain`,
          ]
        : []),
      ...(counts.length > 0 ? [`not kept: ${counts.join(', ')}`] : []),
    ];
  }
}
