import { PassThrough } from 'node:stream';
import type { InputStream, Io, OutputStream } from '../src/io.js';

export interface FakeIo extends Io {
  readonly stdin: PassThrough & InputStream;
  /** The output so far. */
  readonly text: { stdout: string; stderr: string };
  /** The changes of stdin's raw mode. */
  readonly rawModes: boolean[];
  readonly interruption: AbortController;
}

/** An Io with in-memory streams, for commands that run in this process. */
export function fakeIo(change: Partial<Io> & { isTerminal?: boolean } = {}): FakeIo {
  const { isTerminal = false, ...rest } = change;
  const text = { stdout: '', stderr: '' };
  const rawModes: boolean[] = [];
  const interruption = new AbortController();
  const sink = (name: 'stdout' | 'stderr'): PassThrough & OutputStream => {
    const stream = new PassThrough().setEncoding('utf8').on('data', (piece: string) => {
      text[name] += piece;
    });
    return Object.assign(stream, isTerminal ? { isTTY: true, columns: 80 } : {});
  };
  const stdin = Object.assign(new PassThrough(), {
    isTTY: isTerminal,
    setRawMode: (isRaw: boolean) => rawModes.push(isRaw),
  });
  return {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: {},
    // No folder can be created below a file, also not by root.
    homeDirectory: '/dev/null/home',
    platform: 'linux',
    fetch: () => Promise.reject(new Error('nothing is to be fetched')),
    now: () => 0,
    interrupt: interruption.signal,
    ...rest,
    stdin,
    text,
    rawModes,
    interruption,
  };
}
