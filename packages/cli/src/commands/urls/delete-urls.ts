import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createPrivateFolder, stateFolder } from '../../app-folders.js';
import { CliError } from '../../cli-error.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { formatCount } from '../../format.js';
import { groupIntoPages } from '../../group-into-pages.js';
import { checkId } from '../../import/id-list.js';
import type { Io } from '../../io.js';
import { ask } from '../../prompt.js';

const maxItems = 100;
// The ids in the question.
const maxShown = 5;

interface Deletion {
  readonly id: string;
  readonly status: 'deleted' | 'skipped';
}

export interface DeleteOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addDeleteOptions(command: Command): Command {
  return command
    .option('--dry-run', 'show the links, change nothing')
    .option('-y, --yes', 'do not ask for confirmation');
}

/**
 * Deactivates links, 100 per request. Reports and counts ids that the server does not know. On a
 * terminal, asks first. Writes a file that `urls bulk-update` needs to activate the links again.
 */
export async function deleteUrls(
  context: Context,
  ids: readonly string[],
  { dryRun = false, yes = false }: DeleteOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const what = `${formatCount(ids.length, 'link')} (${ids.slice(0, maxShown).join(', ')}${ids.length > maxShown ? ', ...' : ''})`;
  if (dryRun) {
    output.note(`would deactivate ${what}; nothing was sent`);
    return exitCodes.done;
  }
  if (context.isInteractive && !yes) {
    const answer = await ask(`Deactivate ${what}? [y/N] `, io);
    if (!/^y(es)?$/i.test(answer)) throw new CliError('not confirmed: no link was changed');
  }
  const undo = new UndoFile(context);
  const client = await context.client();
  let deleted = 0;
  let skipped = 0;
  const outcomes = async function* (): AsyncGenerator<readonly Deletion[]> {
    for await (const page of groupIntoPages(ids, maxItems)) {
      const result = await client.urls.bulkDelete([...page], { signal: io.interrupt });
      deleted += result.deletedCount;
      skipped += result.skippedCount;
      await undo.add(result.deletedIds);
      yield [
        ...result.deletedIds.map((id): Deletion => ({ id, status: 'deleted' })),
        ...result.skippedIds.map((id): Deletion => ({ id, status: 'skipped' })),
      ];
    }
  };
  await output.list(outcomes(), [
    { name: 'id', value: (item) => item.id },
    { name: 'status', value: (item) => item.status },
  ]);
  if (skipped > 0) {
    output.warn(`shorty: ${formatCount(skipped, 'id')} skipped: no such link in this organization`);
  }
  output.note(`${formatCount(deleted, 'link')} deactivated`);
  if (undo.path !== undefined) output.note(`to undo: shorty urls bulk-update ${undo.path}`);
  if (skipped === 0) return exitCodes.done;
  return deleted > 0 ? exitCodes.partlyDone : exitCodes.failed;
}

/** A CSV file with which `urls bulk-update` activates links again. */
class UndoFile {
  path: string | undefined;
  readonly #io: Io;

  constructor({ io }: Context) {
    this.#io = io;
  }

  async add(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    if (this.path === undefined) {
      const folder = join(stateFolder(this.#io), 'undo');
      await createPrivateFolder(folder, 'SHORTY_STATE_DIR');
      const time = new Date(this.#io.now()).toISOString().replaceAll(':', '-');
      this.path = join(folder, `deleted-${time}-${process.pid}.csv`);
      await writeFile(this.path, 'id,isActive\n', { mode: 0o600, flag: 'wx' });
    }
    await appendFile(this.path, ids.map((id) => `${id},true\n`).join(''));
  }
}

/** Parses and validates ids from the command line. Commas can separate ids. */
export function parseIds(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).map((text) => checkId(text.trim()));
}
