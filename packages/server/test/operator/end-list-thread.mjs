// Loaded with --import by list-thread.test.ts: ends the first list thread at its first call.
import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const mark = process.env.TEST_MARK;
if (workerData?.shortyThread === 'lists' && !existsSync(mark)) {
  writeFileSync(mark, '');
  parentPort.once('message', () => {
    writeSync(2, 'the list thread ends\n');
    process.exit(1);
  });
}
