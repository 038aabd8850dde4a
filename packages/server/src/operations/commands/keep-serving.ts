/**
 * Continues after an uncaught error, such as a throw in a timer, so that one client's request cannot
 * end the process for all. `note` counts and logs the error. Call this once the server listens: an
 * error during the start must still end the process.
 */
export function keepServing(note: (error: unknown) => void): void {
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
}
