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
