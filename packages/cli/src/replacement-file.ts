import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { access, constants, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { CliError, describeWriteError, systemErrorCode, UsageError } from './cli-error.js';

/**
 * Writes a file that is replaced only when its new content is complete: until then, the content is in a
 * temporary file beside it. Pipes and devices are written directly. With `replacesLinks`, a symbolic link is
 * replaced instead of followed.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array | AsyncIterable<string>,
  { replacesLinks = false } = {},
): Promise<void> {
  const target = replacesLinks ? resolve(path) : followLinks(path);
  const existing = replacesLinks ? undefined : await stat(target).catch(() => undefined);
  const isReplaced = existing?.isFile() ?? true;
  const written = isReplaced ? `${target}.${randomUUID().slice(0, 8)}.part` : target;
  // 'wx' fails when the temporary file exists, so that this does not follow a link either.
  const opening = open(written, isReplaced ? 'wx' : 'w', existing?.mode);
  const file = await opening.catch((error) => {
    throw new UsageError(describeWriteError(path, error));
  });
  try {
    await writeFile(file, content);
    if (isReplaced) {
      // A crash of the system leaves the old content or the new one.
      await file.sync();
      await rename(written, target);
    }
  } catch (error) {
    const isOfFile = error instanceof Error && 'syscall' in error;
    throw isOfFile ? new CliError(describeWriteError(target, error), { cause: error }) : error;
  } finally {
    await file.close();
    if (isReplaced) await rm(written, { force: true });
  }
}

/** Throws a UsageError if a file cannot be written. */
export async function requireWritable(path: string): Promise<void> {
  const target = followLinks(path);
  const existing = await stat(target).catch(() => undefined);
  try {
    if (existing?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    // A file is replaced in its folder, unlike a pipe or a device.
    await access(existing?.isFile() === false ? target : dirname(target), constants.W_OK);
  } catch (error) {
    throw new UsageError(describeWriteError(path, error));
  }
}

/**
 * Returns the format that the extension of a file names. Throws a UsageError if no format has it, or if another
 * one was chosen.
 */
export function formatOfFile<Format extends string>(
  path: string | undefined,
  formats: readonly Format[],
  { option = '--out', chosen }: { option?: string; chosen?: string | undefined } = {},
): Format | undefined {
  const extension = extname(path ?? '').toLowerCase();
  if (extension === '') return undefined;
  const format = formats.find((each) => `.${each}` === extension);
  if (format && chosen !== undefined && chosen !== format) {
    throw new UsageError(
      `${option} ${path} contradicts the format ${chosen}`,
      'the extension of the file must be that of the format',
    );
  }
  if (format) return format;
  const known = formats.map((each) => `.${each}`).join(', ');
  throw new UsageError(`${option} ${path}: unknown extension ${extension}`, `use ${known}`);
}

/** Returns the absolute path of a file, or of what it links to. */
export function followLinks(path: string): string {
  try {
    // The function in JavaScript follows the link of a pipe to a name that is no path.
    return realpathSync.native(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return resolve(path);
    throw error;
  }
}
