import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/**
 * Collects the garbage of the calling thread, and returns free pages to the system. V8 does so only
 * after much more allocation: the garbage of a start would stay in an idle process. Does nothing in a
 * Node without an inspector, or with `--permission`, which denies it.
 */
export async function collectGarbage(): Promise<void> {
  try {
    const { Session } = await import('node:inspector/promises');
    const session = new Session();
    session.connect();
    await session.post('HeapProfiler.collectGarbage');
    session.disconnect();
  } catch {
    // The garbage stays until V8 collects it.
  }
}

const checkEveryMs = 5_000;

/** When a thread is idle enough for a collection, by the share of time in which it has work. */
const idleRules = {
  worker: { utilization: 0.1, growthBytes: 8 * 1024 * 1024, heapBytes: Number.POSITIVE_INFINITY },
  // A collection stops a thread for some tens of milliseconds, or longer with a large heap. A visitor
  // of the main thread would wait.
  main: { utilization: 0.02, growthBytes: 32 * 1024 * 1024, heapBytes: 128 * 1024 * 1024 },
} as const;

/**
 * Collects the garbage of the calling thread whenever it has become idle after work, such as the
 * merge of many visits. Without that, the memory of the largest work stays with the thread.
 */
export function collectGarbageWhenIdle(kind: keyof typeof idleRules): void {
  const rule = idleRules[kind];
  let utilization = performance.eventLoopUtilization();
  let bytesAfter = heapBytes();
  const check = async () => {
    const now = performance.eventLoopUtilization();
    const sinceLast = performance.eventLoopUtilization(now, utilization);
    utilization = now;
    if (sinceLast.utilization > rule.utilization) return;
    const bytes = heapBytes();
    if (bytes - bytesAfter < rule.growthBytes || bytes > rule.heapBytes) return;
    await collectGarbage();
    bytesAfter = heapBytes();
  };
  setInterval(check, checkEveryMs).unref();
}

/** Returns the memory of the calling thread's heap, with the buffers that its objects hold. */
function heapBytes(): number {
  const { total_physical_size, external_memory } = getHeapStatistics();
  return total_physical_size + external_memory;
}
