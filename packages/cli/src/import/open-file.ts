import { createHash } from 'node:crypto';
import { createReadStream, open as openDescriptor } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { detectEncoding, refuseBinary } from '@shorty/import';
import { CliError, systemErrorCode, UsageError } from '../cli-error.js';
import type { Io } from '../io.js';

const blockBytes = 64 * 1024;

/** A text file that can be read several times. Pipes are copied to a temporary file. */
export type TextFile = Awaited<ReturnType<typeof openFile>>;

interface Input {
  /** The name for messages: the file name, or `standard input`. */
  readonly name: string;
  readonly handle: FileHandle;
  close(): Promise<void>;
}

/** Opens a file, or stdin for `-`. */
export async function openFile(path: string, io: Pick<Io, 'stdin' | 'interrupt'>) {
  const input = await openBytes(path, io);
  try {
    const { name, handle } = input;
    const { sha256, start, isUtf8 } = await inspect(handle);
    const encoding = detectEncoding(start, isUtf8);
    refuseBinary(name, start, encoding);
    return {
      ...{ ...input, sha256 },
      hasByteOrderMark: encoding.startsWith('utf-16') || start.toString('hex', 0, 3) === 'efbbbf',
      /** What the user should know about the encoding. */
      note:
        encoding === 'utf-8'
          ? undefined
          : `reading ${name} as ${encoding}; save it as UTF-8 if texts are wrong`,
      text: () => readText(input, encoding),
    };
  } catch (error) {
    await input.close();
    throw error;
  }
}

async function openBytes(path: string, io: Pick<Io, 'stdin' | 'interrupt'>): Promise<Input> {
  if (path === '-') return copyToFile('standard input', io.stdin, io.interrupt);
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw new UsageError(`${path} is a folder, not a file`);
    if (stats.isFile()) {
      const handle = await open(path, 'r');
      return { name: path, handle, close: () => handle.close() };
    }
    // A pipe, such as <(...) in a shell, can be read only once.
    const stream = stats.isFIFO() ? await openPipe(path) : createReadStream(path);
    return await copyToFile(basename(path), stream, io.interrupt);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined || error instanceof CliError || io.interrupt.aborted) throw error;
    if (code === 'ENOENT') throw new UsageError(`${path}: file not found`);
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** A socket can be closed while it waits for data. A read of a file would block the process's exit. */
async function openPipe(path: string): Promise<Readable> {
  const fd = await promisify(openDescriptor)(path, 'r');
  return new Socket({ fd, readable: true, writable: false });
}

/** Reads the whole file: its digest, its start, and whether it is UTF-8. */
async function inspect(handle: FileHandle) {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start: Buffer | undefined;
  let isUtf8 = true;
  for await (const block of readBlocks(handle)) {
    hash.update(block);
    start ??= block.subarray(0, 4096);
    isUtf8 &&= canDecode(decoder, block);
  }
  isUtf8 &&= canDecode(decoder);
  return { sha256: hash.digest('hex'), start: start ?? Buffer.alloc(0), isUtf8 };
}

function canDecode(decoder: InstanceType<typeof TextDecoder>, block?: Buffer): boolean {
  try {
    decoder.decode(block, { stream: block !== undefined });
    return true;
  } catch {
    return false;
  }
}

async function* readText({ name, handle }: Input, label: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(label, { fatal: true });
  try {
    for await (const block of readBlocks(handle)) yield decoder.decode(block, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (systemErrorCode(error) !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new UsageError(`${name} is not valid ${label}`, 'save it as UTF-8');
  }
}

// A stream of the handle would close it when a reader stops early.
async function* readBlocks(handle: FileHandle): AsyncGenerator<Buffer> {
  let position = 0;
  for (;;) {
    const block = { buffer: Buffer.alloc(blockBytes), position };
    const { bytesRead, buffer } = await handle.read(block);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Copies a stream to a temporary file, which is deleted when the input is closed. */
async function copyToFile(name: string, source: Readable, interrupt: AbortSignal): Promise<Input> {
  const folder = await mkdtemp(join(tmpdir(), 'shorty-import-'));
  const handle = await open(join(folder, 'input'), 'wx+', 0o600);
  // Unlinked immediately where the system allows it, so that kill -9 leaves no file behind.
  if (process.platform !== 'win32') await rm(folder, { recursive: true });
  const close = async () => {
    await handle.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for await (const chunk of addAbortSignal(interrupt, source)) {
      await handle.writeFile(chunk as Buffer | string);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { name, handle, close };
}
