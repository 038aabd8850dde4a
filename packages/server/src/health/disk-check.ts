import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

// A full disk may have some kilobytes left.
const probe = new Uint8Array(64 * 1024);

/** Returns a function that returns why a folder cannot be written, or undefined. Concurrent calls share one check. */
export function diskCheck(folder: string): () => Promise<string | undefined> {
  let running: Promise<string | undefined> | undefined;
  return () => {
    running ??= findDiskError(folder).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function findDiskError(folder: string): Promise<string | undefined> {
  const path = join(folder, `.health-${process.pid}`);
  try {
    await writeFile(path, probe, { mode: 0o600 });
    return undefined;
  } catch (error) {
    // Without the path, because anybody may ask.
    const [reason] = (error as Error).message.split(',', 1);
    return `The disk of the data cannot be written (${reason})`;
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}
