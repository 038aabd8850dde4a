// Loaded with --import by list-thread.test.ts: the first list threads end at their first call.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const { TEST_MARK: mark, TEST_THREADS_TO_END: threadsToEnd } = process.env;
const endedThreads = () => (existsSync(mark) ? readFileSync(mark, 'utf8').length : 0);

if (workerData?.shortyThread === 'lists' && endedThreads() < Number(threadsToEnd)) {
  appendFileSync(mark, '.');
  parentPort.once('message', () => {
    throw new Error('the list thread ends');
  });
}
