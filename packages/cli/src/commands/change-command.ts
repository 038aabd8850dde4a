import { formatCount } from '@shorty/report';
import type { UrlRecord } from '@shorty/sdk';
import { CliError, type ExitCode, exitCodeOf, UsageError } from '../cli-error.js';
import { type CommandRow, defined, type OptionRows, type RecordKind } from '../command.js';
import type { Context } from '../context.js';
import { ifMatchOption } from '../etag.js';
import { columnsOf } from '../format-rows.js';
import { type OperationId, operations } from '../operations.js';
import { ask } from '../prompt.js';
import { groupIntoPages } from '../read-pages.js';
import { kinds, type Named, naming, unlessMissing } from '../records.js';
import { send } from './request-command.js';

// The names in the question, the result and the warning.
const maxShown = 5;
// Concurrent requests. Low enough to leave the server capacity for other clients.
const concurrency = 8;

type Verb = 'Delete' | 'Pause' | 'Resume' | 'Restore' | 'Revoke' | 'Erase' | 'Erase all visits of';

export interface ChangeOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly ifMatch?: string;
}

/** What happened to an id. */
export interface Change {
  readonly id: string;
  /** Whether there is no such item. */
  readonly isSkipped: boolean;
}

/** Changes one item by its id. */
export type Changer = (id: string, request: object) => PromiseLike<unknown>;

export const changePrints = ['id', 'status'];

/** What a command makes of a link. */
const goals: Partial<Record<Verb, ReturnType<typeof stateOf>>> = {
  ...{ Delete: 'deleted', Pause: 'inactive', Resume: 'active', Restore: 'active' },
};

function stateOf({ deletedAt, isActive }: UrlRecord) {
  if (deletedAt !== null) return 'deleted';
  return isActive ? 'active' : 'inactive';
}

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

interface ChangeRow extends Partial<Omit<CommandRow, 'run'>> {
  /** False for what is easily undone: no question. */
  readonly asks?: boolean;
  readonly body?: object;
  /** Changes a record, if one request does not. */
  readonly change?: (id: string, context: Context) => PromiseLike<unknown>;
}

/** Returns a command that changes the records of a kind which users name, one by one. */
export function changeCommand(
  verb: Verb,
  kind: RecordKind,
  operation: OperationId,
  { asks = true, body = {}, change, examples = [], ...row }: ChangeRow,
): CommandRow {
  const { route, isVersioned } = operations[operation];
  const nouns = `${kinds[kind].noun}s`;
  return {
    summary: `${verb} ${nouns}`,
    args: { [`<${kind}...>`]: naming(kind, `the ${nouns}`) },
    options: !asks ? dryRunOption : isVersioned ? versionedOptions : deleteOptions,
    prints: changePrints,
    examples,
    ...row,
    run: async (context, { [kind]: names = [], ...input }: Partial<Record<string, Named[]>>) => {
      const changeOne: Changer = (id, request) =>
        change ? change(id, context) : send(route, context, { id }, body, request);
      const options = { yes: !asks, ...input } as ChangeOptions;
      return changeEach(context, verb, kind, names, changeOne, options);
    },
  };
}

/** Changes records in one request each. */
export async function changeEach(
  context: Context,
  verb: Verb,
  kind: RecordKind,
  names: readonly Named[],
  change: Changer,
  { ifMatch, ...options }: ChangeOptions,
): Promise<ExitCode> {
  if (ifMatch !== undefined && names.length !== 1) {
    const problem = `--if-match is the version of one record, not of ${names.length}`;
    throw new UsageError(problem, 'delete the records one by one');
  }
  const request = { ...context.request, ...defined({ ifMatch }) };
  const changeAll = async function* (ids: readonly string[]) {
    for (const id of ids) {
      const isChanged = await unlessMissing(Promise.resolve(change(id, request)).then(() => true));
      yield [{ id, isSkipped: !isChanged }];
    }
  };
  return changeItems(context, verb, kind, names, changeAll, options);
}

/**
 * Changes records, whose ids are all found before. On a terminal, asks first. Reports and counts those that
 * do not exist.
 */
export async function changeItems(
  context: Context,
  verb: Verb,
  kind: RecordKind,
  names: readonly Named[],
  change: (ids: readonly string[]) => AsyncIterable<readonly Change[]>,
  { dryRun = false, yes = false }: ChangeOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const { noun, hint } = kinds[kind];
  // `paused` after `Pause`.
  const status = `${verb.replace(/ .*/, '').toLowerCase()}d`;
  const prefix = dryRun ? 'would be ' : '';
  const participle = verb === 'Erase all visits of' ? 'without earlier visits' : status;
  const texts = new Map<string, string>();
  /** The links that the change leaves as they are. */
  const same = new Set<string>();
  const [changed, skipped, deleted]: [string[], string[], string[]] = [[], [], []];
  for await (const { name, id } of findIds(names, dryRun)) {
    const link = id !== undefined && kind === 'link' ? await name.known() : undefined;
    const state = link && stateOf(link as UrlRecord);
    if (id === undefined) skipped.push(name.text);
    // A PATCH that resumes a link would also restore it.
    else if (state === 'deleted' && (verb === 'Pause' || verb === 'Resume'))
      deleted.push(name.text);
    else {
      texts.set(id, name.text);
      if (state && state === goals[verb]) same.add(id);
    }
  }
  const describe = (all: readonly string[], what: string) => {
    const shown = all.slice(0, maxShown).map((id) => texts.get(id) ?? id);
    const more = all.length > maxShown ? ', ...' : '';
    const list = all.length > 0 ? ` (${shown.join(', ')}${more})` : '';
    return `${formatCount(all.length, noun)}${what}${list}`;
  };
  const found = [...texts.keys()];
  if (context.isInteractive && !yes && !dryRun && found.length > 0) {
    const answer = await ask(`${verb} ${describe(found, '')}? [y/N] `, io);
    if (!/^y(es)?$/i.test(answer)) throw new CliError(`not confirmed: no ${noun} was changed`);
  }
  const rows = async function* () {
    const unknown = [...skipped, ...deleted].map((id) => ({ id, status: `${prefix}skipped` }));
    const unchanged = found.map((id) => ({ id, isSkipped: false }));
    for await (const page of dryRun ? [unchanged] : change(found)) {
      for (const { id, isSkipped } of page) {
        if (isSkipped) skipped.push(id);
        else if (!same.has(id)) changed.push(id);
      }
      const toRow = ({ id, isSkipped }: Change) => ({
        id,
        status: prefix + (isSkipped ? 'skipped' : same.has(id) ? 'unchanged' : status),
      });
      yield page.map(toRow);
    }
    yield unknown;
  };
  try {
    if (output.isForPeople) for await (const _ of rows());
    else await output.list(rows(), columnsOf('id', 'status'));
  } catch (error) {
    if (changed.length > 0) output.warn(`before the error: ${describe(changed, ` ${participle}`)}`);
    throw error;
  }
  if (skipped.length > 0) {
    const text = describe(skipped, ` skipped: no such ${noun} in this organization`);
    output.warn(`shorty: ${text}\n  ${hint}`);
  }
  if (deleted.length > 0) {
    const reason = 'deleted; shorty urls restore makes deleted links active again';
    output.warn(`shorty: ${describe(deleted, ` skipped: ${reason}`)}`);
  }
  if (same.size > 0) {
    output.note(`shorty: ${describe([...same], ` unchanged: already ${goals[verb]}`)}`);
  }
  const result = describe(changed, ` ${prefix}${participle}`);
  await output.result(dryRun ? `dry run: ${result}, nothing was changed` : result);
  return exitCodeOf(changed.length + same.size, skipped.length + deleted.length);
}

/** Finds the ids of records; undefined for those that do not exist. An id is checked with `reads` only. */
export async function* findIds(names: readonly Named[], reads = false) {
  for await (const page of groupIntoPages(names, concurrency)) {
    const find = async (name: Named) => {
      if (reads) await name.read();
      return name.id();
    };
    yield* await Promise.all(
      page.map(async (name) => ({ name, id: await unlessMissing(find(name)) })),
    );
  }
}
