interface Waiting<Key, Value> {
  readonly key: Key;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

export interface BatchReadsOptions<Key, Value> {
  /** Reads several keys by one statement, and returns their values in order. */
  readonly readMany: (keys: readonly Key[]) => Promise<readonly Value[]>;
  /** The maximum number of statements that run at once. Others wait for their connections. */
  readonly concurrency: number;
  readonly maxKeys: number;
}

/**
 * Returns a function that reads one key. The calls of one turn of the event loop, and those that wait
 * for a running statement, share a statement.
 */
export function batchReads<Key, Value>({
  readMany,
  concurrency,
  maxKeys,
}: BatchReadsOptions<Key, Value>): (key: Key) => Promise<Value> {
  let waiting: Waiting<Key, Value>[] = [];
  let running = 0;
  const readBatches = async () => {
    // The other calls of this turn wait by then.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxKeys);
      waiting = waiting.slice(maxKeys);
      try {
        const values = await readMany(batch.map(({ key }) => key));
        for (const [at, { resolve }] of batch.entries()) resolve(values[at] as Value);
      } catch (error) {
        // Those that wait fail, too: the timeouts of several statements would add up.
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
      }
    }
    running -= 1;
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (running >= concurrency) return;
      running += 1;
      void readBatches();
    });
}
