/**
 * Continues after an uncaught error, such as a throw in a timer, so that one request cannot end the
 * process. `note` counts and logs the error. Call this once the server listens, because an error
 * during the start must end the process.
 */
export function keepServing(note: (error: unknown) => void): void {
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
}
