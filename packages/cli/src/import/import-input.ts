import { createHash } from 'node:crypto';
import { open as openDescriptor } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { CliError, systemErrorCode, UsageError } from '../cli-error.js';
import type { Io } from '../io.js';
import { findFileKind } from './file-kind.js';
import { EncodingDetector, type TextEncoding } from './text-encoding.js';

const blockBytes = 64 * 1024;

/** An input file that can be read several times. Pipes are copied to a temporary file. */
export interface ImportInput {
  /** The name for messages: the file name, or `standard input`. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly handle: FileHandle;
  close(): Promise<void>;
}

export interface InputFacts {
  readonly sha256: string;
  readonly encoding: TextEncoding;
}

/** Opens a file, or stdin for `-`. Decompresses gzip. Throws for a file that is no text. */
export async function openInput(
  path: string,
  io: Pick<Io, 'stdin' | 'interrupt'>,
): Promise<ImportInput> {
  let input = await openBytes(path, io);
  try {
    if (await isGzip(input)) input = await decompress(input, io.interrupt);
    await refuseOtherFiles(input);
    return input;
  } catch (error) {
    await input.close();
    throw error;
  }
}

async function refuseOtherFiles({ name, handle, sizeBytes }: ImportInput): Promise<void> {
  const read = async (position: number) => {
    const block = Buffer.alloc(blockBytes);
    const { bytesRead } = await handle.read(block, 0, blockBytes, position);
    return block.subarray(0, bytesRead);
  };
  const kind = findFileKind(await read(0), await read(Math.max(0, sizeBytes - blockBytes)));
  if (kind !== undefined) throw new UsageError(`${name} is ${kind}`);
}

async function isGzip({ handle }: ImportInput): Promise<boolean> {
  const start = Buffer.alloc(3);
  await handle.read(start, 0, start.length, 0);
  return start.equals(Buffer.from([0x1f, 0x8b, 0x08]));
}

/** Copies the decompressed content to a temporary file, because an import reads it twice. */
async function decompress(input: ImportInput, interrupt: AbortSignal): Promise<ImportInput> {
  const source = input.handle.createReadStream({ start: 0, autoClose: false });
  try {
    const gunzip = createGunzip();
    // An error also destroys `gunzip`, and the loop that reads it throws.
    pipeline(source, gunzip, () => {});
    const copy = await copyToInput(input.name, gunzip, interrupt);
    await input.close();
    return copy;
  } catch (error) {
    if (!systemErrorCode(error)?.startsWith('Z_')) throw error;
    throw new UsageError(`${input.name} is not a complete gzip file: ${(error as Error).message}`);
  }
}

async function openBytes(path: string, io: Pick<Io, 'stdin' | 'interrupt'>): Promise<ImportInput> {
  if (path === '-') return copyToInput('standard input', io.stdin, io.interrupt);
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) throw new UsageError(`${path} is a folder, not a file`);
    // A pipe, such as <(...) in a shell, can be read only once.
    if (stats.isFIFO())
      return await copyToInput(basename(path), await openPipe(path), io.interrupt);
    const handle = await open(path, 'r');
    if (!stats.isFile()) return await copyToInput(path, handle.createReadStream(), io.interrupt);
    return { name: path, sizeBytes: stats.size, handle, close: () => handle.close() };
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

/** Reads the whole file and returns its digest and its encoding. */
export async function inspectInput(input: ImportInput): Promise<InputFacts> {
  const hash = createHash('sha256');
  const detector = new EncodingDetector();
  for await (const block of readBlocks(input)) {
    hash.update(block);
    detector.push(block);
  }
  return { sha256: hash.digest('hex'), encoding: detector.finish() };
}

export interface TextBlock {
  readonly text: string;
  /** Bytes of the file read so far. */
  readonly bytesRead: number;
}

/**
 * Decodes the file. Throws on invalid bytes instead of replacing them. With `facts`, throws when the
 * file has changed since they were read.
 */
export async function* readText(
  input: ImportInput,
  label: string,
  facts?: InputFacts,
): AsyncGenerator<TextBlock> {
  const decoder = new TextDecoder(label, { fatal: true });
  let bytesRead = 0;
  try {
    for await (const block of facts ? verifiedBlocks(input, facts) : readBlocks(input)) {
      const text = decoder.decode(block, { stream: true });
      bytesRead += block.length;
      yield { text, bytesRead };
    }
    yield { text: decoder.decode(), bytesRead };
  } catch (error) {
    if (systemErrorCode(error) !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new CliError(`${input.name} is not valid ${label} (near byte ${bytesRead})`, {
      code: 'ENCODING',
      hint: 'set the encoding with --encoding',
      cause: error,
    });
  }
}

/** Yields the blocks of the file. Throws at once when its length changes, and at the end when its digest has. */
async function* verifiedBlocks(input: ImportInput, facts: InputFacts): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const block of readBlocks(input)) {
    if ((await input.handle.stat()).size !== input.sizeBytes) throw changed(input);
    hash.update(block);
    yield block;
  }
  if (hash.digest('hex') !== facts.sha256) throw changed(input);
}

/** The code of the error for a file that changes while it is read. */
export const fileChanged = 'FILE_CHANGED';

function changed({ name }: ImportInput): CliError {
  return new CliError(`${name} changed while it was being read`, {
    code: fileChanged,
    hint: 'import a copy that nothing changes; it is a new import, and --skip-existing skips the slugs that exist already',
  });
}

async function* readBlocks(input: ImportInput): AsyncGenerator<Buffer> {
  const block = Buffer.allocUnsafe(blockBytes);
  let position = 0;
  for (;;) {
    const { bytesRead } = await input.handle.read(block, 0, blockBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield block.subarray(0, bytesRead);
  }
}

/** Copies a stream to a temporary file, which is deleted when the input is closed. */
export async function copyToInput(
  name: string,
  source: Readable,
  interrupt: AbortSignal,
): Promise<ImportInput> {
  const folder = await mkdtemp(join(tmpdir(), 'shorty-import-'));
  const handle = await open(join(folder, 'input.csv'), 'wx+', 0o600);
  const remove = () => rm(folder, { recursive: true, force: true });
  // Unlinked immediately where the system allows it, so that kill -9 leaves no file behind.
  if (process.platform !== 'win32') await remove();
  let sizeBytes = 0;
  try {
    // Not before: an abort of a stream that nothing reads yet would be an uncaught error.
    for await (const chunk of addAbortSignal(interrupt, source)) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
      await handle.writeFile(bytes);
      sizeBytes += bytes.length;
    }
  } catch (error) {
    await handle.close();
    await remove();
    throw error;
  }
  return {
    name,
    sizeBytes,
    handle,
    close: async () => {
      await handle.close();
      await remove();
    },
  };
}
