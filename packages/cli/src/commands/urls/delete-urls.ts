import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quoteCell } from '@shorty/import';
import { PermissionError, type Shorty } from '@shorty/sdk';
import { createPrivateFolder, stateFolder } from '../../app-folders.js';
import { UsageError } from '../../cli-error.js';
import type { Context } from '../../context.js';
import type { ExitCode } from '../../exit-codes.js';
import { findEach } from '../../find-each.js';
import { groupIntoPages } from '../../group-into-pages.js';
import type { Io } from '../../io.js';
import {
  type Deletion,
  deleteItems,
  removeEach,
  type VersionedDeleteOptions,
} from '../delete-items.js';

const maxItems = 100;
// The longest Retry-After that a deletion waits for. A rate limit lasts up to a minute.
const maxRetryDelayMs = 65_000;

/**
 * Deactivates links, 100 per request. Before each request, writes the ids of its active links to a
 * file with which `urls bulk-update` restores the state before.
 */
export async function deleteUrls(
  context: Context,
  ids: readonly string[],
  options: VersionedDeleteOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const client = await context.client({ maxRetryDelayMs });
  const request = { signal: io.interrupt };
  const undo = new UndoFile(io);
  const remove = async function* (all: readonly string[]): AsyncGenerator<readonly Deletion[]> {
    for await (const page of groupIntoPages(all, maxItems)) {
      const activeIds = undo.isComplete ? await findActive(client, page, request) : undefined;
      if (activeIds) await undo.add(activeIds);
      else undo.isComplete = false;
      if (options.ifMatch !== undefined) {
        const request = { signal: io.interrupt, ifMatch: options.ifMatch };
        yield* removeEach(page, (id) => client.urls.delete(id, request));
        continue;
      }
      const result = await client.urls.bulkDelete([...page], request);
      yield [
        ...result.deletedIds.map((id) => ({ id, isSkipped: false })),
        ...result.skippedIds.map((id) => ({ id, isSkipped: true })),
      ];
    }
  };
  const deleter = {
    noun: 'link',
    verb: 'Deactivate',
    find: (id: string) => client.urls.get(id, request),
    remove,
  } as const;
  try {
    return await deleteItems(context, [...new Set(ids)], deleter, options);
  } finally {
    // Also after an error and with --quiet: no other place names the file.
    if (undo.path !== undefined) output.warn(`to undo: shorty urls bulk-update ${undo.path}`);
    if (!undo.isComplete) {
      output.warn('shorty: no undo file was written: it needs the scope urls:read');
    }
  }
}

/** Returns the ids of active links; undefined if the client may not read links. */
async function findActive(
  client: Shorty,
  ids: readonly string[],
  request: { readonly signal: AbortSignal },
): Promise<string[] | undefined> {
  const activeIds: string[] = [];
  try {
    for await (const page of findEach(ids, (id) => client.urls.get(id, request))) {
      activeIds.push(...page.flatMap(({ id, item }) => (item?.isActive ? [id] : [])));
    }
  } catch (error) {
    if (error instanceof PermissionError) return undefined;
    throw error;
  }
  return activeIds;
}

/** A CSV file with which `urls bulk-update` activates links again. */
class UndoFile {
  path: string | undefined;
  isComplete = true;
  readonly #io: Io;

  constructor(io: Io) {
    this.#io = io;
  }

  async add(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    if (this.path === undefined) {
      const folder = join(stateFolder(this.#io), 'undo');
      await createPrivateFolder(folder, 'SHORTY_STATE_DIR');
      const time = new Date(this.#io.now()).toISOString().replaceAll(':', '-');
      const path = join(folder, `deleted-${time}-${process.pid}.csv`);
      await writeFile(path, 'id,isActive\n', { mode: 0o600, flag: 'wx' });
      this.path = path;
    }
    await appendFile(this.path, ids.map((id) => `${id},true\n`).join(''));
  }
}

/** The next step for somebody who gives a slug or a short URL as an id. */
export const idHint = 'ids are whole numbers; shorty urls delete also takes slugs and short URLs';

export function checkId(text: string, place = ''): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new UsageError(`${place}${quoteCell(text)} is not a link id`, idHint);
}

/** Parses and validates ids from the command line. Commas can separate ids. */
export function parseIds(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).map((text) => checkId(text.trim()));
}
