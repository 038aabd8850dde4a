import type { Readable, Writable } from 'node:stream';

export interface InputStream extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything a command reads from or writes to, so that tests can run one in-process. */
export interface Io {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  readonly platform: NodeJS.Platform;
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Aborted by the first Ctrl-C. */
  readonly interrupt: AbortSignal;
}

/** True where colours and a live view make sense on this stream. */
export function isRichTerminal(stream: OutputStream, env: Io['env']): boolean {
  return stream.isTTY === true && env.TERM !== 'dumb' && !isCi(env);
}

function isCi(env: Io['env']): boolean {
  return env.CI !== undefined && env.CI !== '' && env.CI !== '0' && env.CI !== 'false';
}
