// Loaded with --import by stop.test.ts: blocks the report thread in native code at its first call.
import { execFileSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

if (workerData?.shortyThread === 'reports') {
  parentPort.once('message', () => {
    writeSync(2, 'the report thread hangs\n');
    execFileSync('sleep', ['20']);
  });
}
