/** The exit codes of the process. Scripts depend on these numbers. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  partlyDone: 3,
  notAllowed: 4,
  /** By Ctrl-C (SIGINT). */
  interrupted: 130,
  /** By SIGTERM. */
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
