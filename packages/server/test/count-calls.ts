import { Session } from 'node:inspector/promises';

/**
 * Returns how often functions of the server were called, and their loops and branches were entered, while
 * `work` ran. It bounds the work of a request on any machine, however busy, which a time does not.
 */
export async function countCalls(work: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.includes('/packages/server/src/'))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0);
  } finally {
    session.disconnect();
  }
}
