import type { Command } from 'commander';
import { CliError } from '../cli-error.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { findEach, findOrUndefined } from '../find-each.js';
import { formatCount } from '../format.js';
import { ask } from '../prompt.js';

// The ids in the question.
const maxShown = 5;

export interface DeleteOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** What happened to an id, or would happen. */
export interface Deletion {
  readonly id: string;
  readonly status: 'deleted' | 'skipped' | 'would be deleted' | 'would be skipped';
}

/** How a command deletes items of one kind. */
export interface Deleter {
  readonly noun: string;
  /** The verb of the question. */
  readonly verb: 'Delete' | 'Deactivate';
  /** Reads an item. Rejects with NotFoundError for an unknown id. */
  readonly find: (id: string) => PromiseLike<unknown>;
  readonly remove: (ids: readonly string[]) => AsyncIterable<readonly Deletion[]>;
}

export function addDeleteOptions(command: Command): Command {
  return command
    .option('--dry-run', 'show what would happen, change nothing')
    .option('-y, --yes', 'do not ask for confirmation');
}

/** Deletes items. On a terminal, asks first. Reports and counts ids that the server does not know. */
export async function deleteItems(
  context: Context,
  ids: readonly string[],
  deleter: Deleter,
  { dryRun = false, yes = false }: DeleteOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const { noun, verb } = deleter;
  if (context.isInteractive && !yes && !dryRun) {
    const shown = ids.slice(0, maxShown).join(', ') + (ids.length > maxShown ? ', ...' : '');
    const answer = await ask(`${verb} ${formatCount(ids.length, noun)} (${shown})? [y/N] `, io);
    if (!/^y(es)?$/i.test(answer)) throw new CliError(`not confirmed: no ${noun} was changed`);
  }
  let deleted = 0;
  let skipped = 0;
  const outcomes = async function* (): AsyncGenerator<readonly Deletion[]> {
    const deletions = dryRun ? preview(ids, deleter) : deleter.remove(ids);
    for await (const page of deletions) {
      for (const { status } of page) {
        if (status === 'deleted' || status === 'would be deleted') deleted++;
        else skipped++;
      }
      yield page;
    }
  };
  await output.list(outcomes(), [
    { name: 'id', value: (item) => item.id, isWhole: true },
    { name: 'status', value: (item) => item.status },
  ]);
  if (skipped > 0) {
    output.warn(
      `shorty: ${formatCount(skipped, 'id')} skipped: no such ${noun} in this organization`,
    );
  }
  const participle = `${verb.toLowerCase()}d`;
  output.note(
    dryRun
      ? `dry run: ${formatCount(deleted, noun)} would be ${participle}, nothing was changed`
      : `${formatCount(deleted, noun)} ${participle}`,
  );
  if (skipped === 0) return exitCodes.done;
  return deleted > 0 ? exitCodes.partlyDone : exitCodes.failed;
}

/** Deletes items in one request each. */
export async function* removeEach(
  ids: readonly string[],
  remove: (id: string) => PromiseLike<unknown>,
): AsyncGenerator<readonly Deletion[]> {
  for (const id of ids) {
    const removeOne = async () => {
      await remove(id);
      return 'deleted' as const;
    };
    yield [{ id, status: (await findOrUndefined(removeOne, id)) ?? 'skipped' }];
  }
}

async function* preview(
  ids: readonly string[],
  { find }: Deleter,
): AsyncGenerator<readonly Deletion[]> {
  for await (const page of findEach(ids, find)) {
    yield page.map(({ id, item }) => ({
      id,
      status: item === undefined ? 'would be skipped' : 'would be deleted',
    }));
  }
}
