/** Admits one body; `acquire` may be called again and then does nothing. */
export interface BodySlot {
  acquire(): Promise<void>;
  release(): void;
}

interface Owner {
  used: number;
  readonly waiting: (() => void)[];
}

/**
 * Bounds how many large bodies are in memory at once: in all, and for each organization, so that
 * one that sends slowly delays nobody else. Waiting bodies stay in the network; organizations take
 * turns.
 */
export class BodySlots {
  readonly #perOwner: number;
  #free: number;
  readonly #owners = new Map<string, Owner>();

  constructor({ total, perOwner }: { readonly total: number; readonly perOwner: number }) {
    this.#free = total;
    this.#perOwner = perOwner;
  }

  /** A slot for one request of the owner. Release it when the body is parsed. */
  slotFor(name: string): BodySlot {
    let isAcquired = false;
    return {
      acquire: async () => {
        if (isAcquired) return;
        isAcquired = true;
        await this.#acquire(name);
      },
      release: () => {
        if (!isAcquired) return;
        isAcquired = false;
        this.#release(name);
      },
    };
  }

  async #acquire(name: string): Promise<void> {
    const owner = this.#owners.get(name) ?? { used: 0, waiting: [] };
    this.#owners.set(name, owner);
    if (this.#free > 0 && owner.used < this.#perOwner) {
      this.#free -= 1;
      owner.used += 1;
    } else {
      await new Promise<void>((resolve) => owner.waiting.push(resolve));
    }
  }

  #release(name: string): void {
    const owner = this.#owners.get(name) as Owner;
    owner.used -= 1;
    this.#free += 1;
    if (owner.used === 0 && owner.waiting.length === 0) this.#owners.delete(name);
    for (const [next, candidate] of this.#owners) {
      const grant = candidate.used < this.#perOwner ? candidate.waiting.shift() : undefined;
      if (!grant) continue;
      this.#free -= 1;
      candidate.used += 1;
      // To the end of the map: the others come first next time.
      this.#owners.delete(next);
      this.#owners.set(next, candidate);
      grant();
      return;
    }
  }
}
