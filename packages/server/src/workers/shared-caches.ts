import type { Change } from '../storage/database.js';

/** Records that have changed, by what caches hold of them. Survives JSON. */
export interface Changed {
  /** Links, by the ids of their records. */
  readonly urls?: readonly number[];
  /** Pictures of QR codes, by the ids of the codes. */
  readonly pictures?: readonly string[];
  /** Which domains hosts name: all of them are forgotten. */
  readonly hosts?: readonly [];
}

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
  readonly #caches = new Map<string, Forgetful<never>>();

  /** Without `tellOthers` there are no other processes. */
  constructor(tellOthers: ((changed: Changed) => Promise<void>) | undefined) {
    this.#tellOthers = tellOthers;
  }

  add<Name extends keyof Changed>(
    name: Name,
    cache: Forgetful<NonNullable<Changed[Name]>[number]>,
  ): void {
    this.#caches.set(name, cache);
  }

  /** Forgets here at once, and everywhere before it resolves. */
  forget(changed: Changed): void | Promise<void> {
    this.forgetHere(changed);
    return this.#tellOthers?.(changed);
  }

  forgetHere(changed: Changed): void {
    for (const [name, keys] of Object.entries(changed)) {
      this.#caches.get(name)?.invalidate(keys as never);
    }
  }

  /** For when nobody can tell what has changed. */
  clearHere(): void {
    for (const cache of this.#caches.values()) cache.clear();
  }
}

/** Changes as a database tells them. */
export function toChanged(changes: readonly Change[]): Changed {
  const keysOf = (wanted: Change['kind']) =>
    changes.flatMap(({ kind, key }) => (kind === wanted ? [key] : []));
  const [urls, pictures] = [keysOf('urls').map(Number), keysOf('pictures')];
  return {
    ...(urls.length > 0 && { urls }),
    ...(pictures.length > 0 && { pictures }),
    ...(changes.some(({ kind }) => kind === 'hosts') && { hosts: [] }),
  };
}

/** Several changes as one, which names nothing twice. */
export function joinChanges(changes: readonly Changed[]): Changed {
  const joined: Record<string, unknown[]> = {};
  for (const [name, keys] of changes.flatMap((changed) => Object.entries(changed))) {
    joined[name] = [...new Set([...(joined[name] ?? []), ...keys])];
  }
  return joined;
}
