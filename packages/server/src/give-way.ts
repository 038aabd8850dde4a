/**
 * Lets what has arrived meanwhile go first. A redirect is done in a twentieth of a millisecond, and
 * should not wait for the whole of a piece of work that takes some; so such work calls this between
 * its parts.
 */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
