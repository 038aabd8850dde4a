/** Records that have changed, by what caches hold of them. Survives JSON. */
export interface Changed {
  /** Links, by the ids of their records. */
  readonly urls?: readonly number[];
  /** Pictures of QR codes, by the ids of the codes. */
  readonly pictures?: readonly string[];
}

type Caches = { -readonly [Name in keyof Changed]-?: Forgetful<NonNullable<Changed[Name]>[number]> };

interface Forgetful<Key> {
  /** After it has returned, nobody is answered by what was read of these before. */
  invalidate(keys: readonly Key[]): void;
  /** The same for everything. */
  clear(): void;
}

/**
 * The caches of this process, and word to the server's other processes when something that they may
 * hold has changed. Whoever changes a record waits for `forget` before the change is answered.
 */
export class SharedCaches {
  readonly #tellOthers: ((changed: Changed) => Promise<void>) | undefined;
  readonly #caches: Partial<Caches> = {};

  /** Without `tellOthers` there are no other processes. */
  constructor(tellOthers: ((changed: Changed) => Promise<void>) | undefined) {
    this.#tellOthers = tellOthers;
  }

  add<Name extends keyof Caches>(name: Name, cache: Caches[Name]): void {
    this.#caches[name] = cache as Partial<Caches>[Name];
  }

  /** Forgets here at once, and everywhere before it resolves. */
  forget(changed: Changed): void | Promise<void> {
    this.forgetHere(changed);
    return this.#tellOthers?.(changed);
  }

  forgetHere({ urls, pictures }: Changed): void {
    if (urls) this.#caches.urls?.invalidate(urls);
    if (pictures) this.#caches.pictures?.invalidate(pictures);
  }

  /** For when nobody can tell what has changed. */
  clearHere(): void {
    for (const cache of Object.values(this.#caches)) cache?.clear();
  }
}

/** Several changes as one. */
export function joinChanges(changes: readonly Changed[]): Changed {
  return {
    urls: [...new Set(changes.flatMap(({ urls = [] }) => urls))],
    pictures: [...new Set(changes.flatMap(({ pictures = [] }) => pictures))],
  };
}
