/**
 * Keeps the process up after an error that nothing has caught, such as a throw in a timer: no
 * stranger may end the process for everybody else. The error is handed to `note`, which counts and
 * logs it. Called once the server listens, so that an error of the start still stops the start.
 */
export function keepServing(note: (error: unknown) => void): void {
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
}
