import { formatCount } from '@shorty/report';
import type { Command } from 'commander';
import { CliError, UsageError } from '../cli-error.js';
import type { Context } from '../context.js';
import { ifMatchOption } from '../etag.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { findEach, findOrUndefined } from '../find-each.js';
import { ask } from '../prompt.js';

// The ids in the question and in the warning.
const maxShown = 5;

/** What happens to an item, by the verb of the question. */
const statuses = {
  Delete: { status: 'deleted', participle: 'deleted' },
  // The API counts links that it deactivates as deleted, too.
  Deactivate: { status: 'deleted', participle: 'deactivated' },
  Pause: { status: 'paused', participle: 'paused' },
  Resume: { status: 'resumed', participle: 'resumed' },
  Restore: { status: 'restored', participle: 'restored' },
  Revoke: { status: 'revoked', participle: 'revoked' },
  Erase: { status: 'erased', participle: 'erased' },
  'Erase all visits of': { status: 'erased', participle: 'without earlier visits' },
} as const;

export interface DeleteOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Options of commands that delete records with a version. */
export interface VersionedDeleteOptions extends DeleteOptions {
  readonly ifMatch?: string;
}

/** What happened to an id, or would happen. */
export interface Deletion {
  readonly id: string;
  /** Whether there is no such item. */
  readonly isSkipped: boolean;
}

/** How a command deletes items of one kind. */
export interface Deleter {
  readonly noun: string;
  /** The verb of the question. */
  readonly verb: keyof typeof statuses;
  /** Reads an item. Rejects with NotFoundError for an unknown id. */
  readonly find: (id: string) => PromiseLike<unknown>;
  readonly remove: (ids: readonly string[]) => AsyncIterable<readonly Deletion[]>;
}

export function addDeleteOptions(command: Command): Command {
  return command
    .option('--dry-run', 'show what would happen, change nothing')
    .option('-y, --yes', 'do not ask for confirmation');
}

/** Adds the options of commands that delete records with a version. */
export function addVersionedDeleteOptions(command: Command): Command {
  return addDeleteOptions(command).addOption(ifMatchOption('delete').conflicts('dryRun'));
}

/** Throws if several items shall have one version. */
export function checkVersion(ids: readonly string[], { ifMatch }: VersionedDeleteOptions): void {
  if (ifMatch === undefined || ids.length === 1) return;
  const problem = `--if-match is the version of one record, not of ${ids.length}`;
  throw new UsageError(problem, 'delete the records one by one');
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
  const skippedIds: string[] = [];
  const describe = ({ id, isSkipped }: Deletion) => {
    const status = isSkipped ? 'skipped' : statuses[verb].status;
    return { id, status: dryRun ? `would be ${status}` : status };
  };
  const outcomes = async function* () {
    const deletions = dryRun ? preview(ids, deleter) : deleter.remove(ids);
    for await (const page of deletions) {
      for (const { id, isSkipped } of page) {
        if (!isSkipped) deleted++;
        else if (++skipped <= maxShown) skippedIds.push(id);
      }
      yield page.map(describe);
    }
  };
  await output.list(outcomes(), [
    { name: 'id', value: (item) => item.id, isWhole: true },
    { name: 'status', value: (item) => item.status },
  ]);
  if (skipped > 0) {
    output.warn(
      `shorty: ${formatCount(skipped, 'id')} skipped: no such ${noun} in this organization: ${skippedIds.join(', ')}${skipped > maxShown ? ', ...' : ''}`,
    );
  }
  const { participle } = statuses[verb];
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
      return true;
    };
    yield [{ id, isSkipped: (await findOrUndefined(removeOne, id)) === undefined }];
  }
}

async function* preview(
  ids: readonly string[],
  { find }: Deleter,
): AsyncGenerator<readonly Deletion[]> {
  for await (const page of findEach(ids, find)) {
    yield page.map(({ id, item }) => ({ id, isSkipped: item === undefined }));
  }
}
