import { formatCount } from '@shorty/report';
import type { Shorty } from '@shorty/sdk';
import { CliError, UsageError } from '../cli-error.js';
import type { CommandRow, OptionRows } from '../command.js';
import type { Context } from '../context.js';
import { ifMatchOption } from '../etag.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { findEach, findOrUndefined } from '../find-each.js';
import { findLinkIds } from '../find-link.js';
import { columnsOf } from '../output.js';
import { ask } from '../prompt.js';

// The names in the question, the result and the warning.
const maxShown = 5;

/** What happens to an item, by the verb of the question. */
const statuses = {
  Delete: { status: 'deleted', participle: 'deleted' },
  Pause: { status: 'paused', participle: 'paused' },
  Resume: { status: 'resumed', participle: 'resumed' },
  Restore: { status: 'restored', participle: 'restored' },
  Revoke: { status: 'revoked', participle: 'revoked' },
  Erase: { status: 'erased', participle: 'erased' },
  'Erase all visits of': { status: 'erased', participle: 'without earlier visits' },
} as const;

export interface ChangeOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly ifMatch?: string;
}

/** What happened to an id, or would happen. */
export interface Change {
  readonly id: string;
  /** Whether there is no such item. */
  readonly isSkipped: boolean;
}

/** How a command changes items of one kind. */
export interface Changer {
  readonly noun: string;
  /** The verb of the question. */
  readonly verb: keyof typeof statuses;
  /** Reads an item. Rejects with NotFoundError for an unknown id. */
  readonly find: (id: string) => PromiseLike<unknown>;
  readonly change: (ids: readonly string[]) => AsyncIterable<readonly Change[]>;
  /** What the user calls an item, by its id. */
  readonly names?: ReadonlyMap<string, string>;
}

/** The options of a request. */
type Request = Context['request'] & { readonly ifMatch?: string };

/** Returns the calls that read and change one item. */
type Calls = (
  client: Shorty,
  request: Request,
) => {
  readonly find: (id: string) => PromiseLike<unknown>;
  readonly change: (id: string) => PromiseLike<unknown>;
};

export const changePrints = ['id', 'status'];

const dryRunOption: OptionRows = { '--dry-run': 'show what would happen, change nothing' };

export const deleteOptions: OptionRows = {
  ...dryRunOption,
  '-y, --yes': 'do not ask for confirmation',
};

/** The options of commands that delete records with a version. */
export const versionedOptions: OptionRows = {
  ...deleteOptions,
  '--if-match <etag>': { ...ifMatchOption('delete'), conflicts: 'dryRun' },
};

/** Returns a command that deletes items by their ids, or by what `findId` knows. */
export function deleteCommand(
  { noun, verb, isVersioned }: Pick<Changer, 'noun' | 'verb'> & { readonly isVersioned?: boolean },
  row: Omit<CommandRow, 'run'>,
  calls: Calls,
  findId?: (client: Shorty, text: string, request: Context['request']) => Promise<string>,
): CommandRow {
  const [argument = ''] = Object.keys(row.args ?? {});
  return {
    ...row,
    options: isVersioned ? versionedOptions : deleteOptions,
    prints: changePrints,
    run: async (context, input: ChangeOptions) => {
      // The argument is variadic: <id...>.
      const name = argument.replace(/\W/g, '') as keyof ChangeOptions;
      const texts = input[name] as unknown as readonly string[];
      checkVersion(texts, input);
      const names = new Map<string, string>();
      for (const text of texts) {
        const id = await findId?.(await context.client(), text, context.request);
        names.set(id ?? text, text);
      }
      return changeEach(context, [...names.keys()], { noun, verb, calls, names }, input);
    },
  };
}

export const linkArgs = { '<link...>': 'ids, short URLs, slugs or short codes of the links' };

/** Returns a command that changes links. With `asks`, it asks for confirmation. */
export function changeLinksCommand(
  verb: Changer['verb'],
  { asks = false, ...row }: Pick<CommandRow, 'summary' | 'examples'> & { readonly asks?: boolean },
  calls: Calls,
): CommandRow {
  return {
    ...row,
    args: linkArgs,
    options: asks ? deleteOptions : dryRunOption,
    prints: changePrints,
    run: async (context, { link, ...options }: ChangeOptions & { link: readonly string[] }) => {
      const names = await findLinkIds(await context.client(), link, context.request);
      const confirmed = asks ? options : { ...options, yes: true };
      return changeEach(
        context,
        [...names.keys()],
        { noun: 'link', verb, calls, names },
        confirmed,
      );
    },
  };
}

/** Throws if several items shall have one version. */
export function checkVersion(ids: readonly string[], { ifMatch }: ChangeOptions): void {
  if (ifMatch === undefined || ids.length === 1) return;
  const problem = `--if-match is the version of one record, not of ${ids.length}`;
  throw new UsageError(problem, 'delete the records one by one');
}

/** Changes items in one request each. */
export async function changeEach(
  context: Context,
  ids: readonly string[],
  { calls, ...shown }: Pick<Changer, 'noun' | 'verb' | 'names'> & { readonly calls: Calls },
  options: ChangeOptions,
): Promise<ExitCode> {
  const { ifMatch } = options;
  const request = { ...context.request, ...(ifMatch !== undefined && { ifMatch }) };
  const { find, change } = calls(await context.client(), request);
  const changer = { ...shown, find, change: (all: readonly string[]) => oneByOne(all, change) };
  return changeItems(context, ids, changer, options);
}

/** Changes items. On a terminal, asks first. Reports and counts ids that the server does not know. */
export async function changeItems(
  context: Context,
  ids: readonly string[],
  changer: Changer,
  { dryRun = false, yes = false }: ChangeOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const { noun, verb, names } = changer;
  const { status, participle } = statuses[verb];
  const describe = (all: readonly string[], what: string) => {
    const shown = all.slice(0, maxShown).map((id) => names?.get(id) ?? id);
    const more = all.length > maxShown ? ', ...' : '';
    const list = all.length > 0 ? ` (${shown.join(', ')}${more})` : '';
    return `${formatCount(all.length, noun)}${what}${list}`;
  };
  if (context.isInteractive && !yes && !dryRun) {
    const answer = await ask(`${verb} ${describe(ids, '')}? [y/N] `, io);
    if (!/^y(es)?$/i.test(answer)) throw new CliError(`not confirmed: no ${noun} was changed`);
  }
  const changed: string[] = [];
  const skipped: string[] = [];
  const prefix = dryRun ? 'would be ' : '';
  const outcomes = async function* () {
    for await (const page of dryRun ? preview(ids, changer) : changer.change(ids)) {
      for (const { id, isSkipped } of page) (isSkipped ? skipped : changed).push(id);
      yield page.map(({ id, isSkipped }) => ({
        id,
        status: `${prefix}${isSkipped ? 'skipped' : status}`,
      }));
    }
  };
  try {
    if (output.isForPeople) for await (const _ of outcomes());
    else await output.list(outcomes(), columnsOf('id', 'status'));
  } catch (error) {
    if (changed.length > 0) output.warn(`before the error: ${describe(changed, ` ${participle}`)}`);
    throw error;
  }
  if (skipped.length > 0) {
    output.warn(`shorty: ${describe(skipped, ` skipped: no such ${noun} in this organization`)}`);
  }
  const result = describe(changed, ` ${prefix}${participle}`);
  await output.result(dryRun ? `dry run: ${result}, nothing was changed` : result);
  if (skipped.length === 0) return exitCodes.done;
  return changed.length > 0 ? exitCodes.partlyDone : exitCodes.failed;
}

export async function* oneByOne(
  ids: readonly string[],
  change: (id: string) => PromiseLike<unknown>,
): AsyncGenerator<readonly Change[]> {
  for (const id of ids) {
    const changeOne = async () => {
      await change(id);
      return true;
    };
    yield [{ id, isSkipped: (await findOrUndefined(changeOne, id)) === undefined }];
  }
}

async function* preview(
  ids: readonly string[],
  { find }: Changer,
): AsyncGenerator<readonly Change[]> {
  for await (const page of findEach(ids, find)) {
    yield page.map(({ id, item }) => ({ id, isSkipped: item === undefined }));
  }
}
