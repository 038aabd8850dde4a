import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { CliError, systemErrorCode, UsageError } from '../cli-error.js';
import type { Io } from '../io.js';
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

export async function openInput(
  path: string,
  io: Pick<Io, 'stdin' | 'interrupt'>,
): Promise<ImportInput> {
  if (path === '-') return spool('standard input', addAbortSignal(io.interrupt, io.stdin));
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw new UsageError(`${path}: file not found`);
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw new UsageError(`${path} is a folder, not a file`);
  }
  if (!stat.isFile()) {
    // A named pipe, such as <(...) in a shell, can be read only once.
    return spool(basename(path), addAbortSignal(io.interrupt, handle.createReadStream()));
  }
  return { name: path, sizeBytes: stat.size, handle, close: () => handle.close() };
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

/** Decodes the file. Throws on invalid bytes instead of replacing them. */
export async function* readText(input: ImportInput, label: string): AsyncGenerator<TextBlock> {
  const decoder = new TextDecoder(label, { fatal: true });
  let bytesRead = 0;
  try {
    for await (const block of readBlocks(input)) {
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

async function spool(name: string, source: AsyncIterable<unknown>): Promise<ImportInput> {
  const folder = await mkdtemp(join(tmpdir(), 'shorty-import-'));
  const handle = await open(join(folder, 'input.csv'), 'wx+', 0o600);
  const remove = () => rm(folder, { recursive: true, force: true });
  // Unlinked immediately where the system allows it, so that kill -9 leaves no file behind.
  if (process.platform !== 'win32') await remove();
  let sizeBytes = 0;
  try {
    for await (const chunk of source) {
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
