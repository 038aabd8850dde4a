import type { Readable, Writable } from 'node:stream';

export interface InputStream extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** The environment of a command. Tests replace it to run commands in-process. */
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
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly interrupt: AbortSignal;
}

/** Returns the width of a terminal in columns. One of unknown size has 0, as under `docker run -t`. */
export function terminalColumns({ columns }: Pick<OutputStream, 'columns'>): number {
  return columns || 80;
}

/** Returns whether the stream is a terminal that supports colors and a live view. */
export function isRichTerminal(stream: OutputStream, env: Io['env']): boolean {
  const isCi = ![undefined, '', '0', 'false'].includes(env.CI);
  return stream.isTTY === true && env.TERM !== 'dumb' && !isCi;
}

/** Returns the width of a report on this stream, in columns. */
export function reportWidth(stream: Pick<OutputStream, 'isTTY' | 'columns'>): number {
  return stream.isTTY ? Math.max(32, Math.min(200, terminalColumns(stream))) : 80;
}
