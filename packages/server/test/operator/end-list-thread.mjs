// Loaded with --import by list-thread.test.ts: the first list thread ends at its first call.
import { existsSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const { TEST_MARK: mark } = process.env;

if (workerData?.shortyThread === 'lists' && !existsSync(mark)) {
  writeFileSync(mark, '');
  parentPort.once('message', () => {
    throw new Error('the list thread ends');
  });
}
