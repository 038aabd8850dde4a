import { fetchLinkReport, formatInstant } from '@shorty/report';
import type { UrlRecord } from '@shorty/sdk';
import { reportCommand } from '../analytics/report-command.js';
import { UsageError } from '../cli-error.js';
import { type CommandRow, type OptionRows, repeatable } from '../command.js';
import type { Context } from '../context.js';
import { bodyOf } from '../field-options.js';
import { type Column, columnsOf } from '../format-rows.js';
import type { Input } from '../input.js';
import { offerScheme } from '../prompt.js';
import { type Named, naming } from '../records.js';
import {
  type ChangeOptions,
  type Changer,
  changeCommand,
  changeEach,
  changePrints,
  versionedOptions,
} from './change-command.js';
import { listCommand, requestCommand } from './request-command.js';
import { bulkCreate } from './urls/bulk-create.js';
import { bulkDelete, deleteUrls } from './urls/bulk-delete.js';
import { bulkUpdate } from './urls/bulk-update.js';
import { exportLinks, exportVisits } from './urls/export.js';
import {
  type LinkOptions,
  linkOptions,
  readLinkOptions,
  readUrlFilter,
} from './urls/link-options.js';
import { ruleCommands } from './urls/rules.js';

/** What creates a link. */
interface NewLink extends LinkOptions {
  readonly targetUrl: string;
  readonly paused?: boolean;
}

/** What changes a link. */
interface Changes extends LinkOptions {
  readonly link: Named<UrlRecord>;
  readonly targetUrl?: string;
  readonly clear?: readonly string[];
  readonly addTag?: readonly string[];
  readonly removeTag?: readonly string[];
}

const targetUrl = { '<targetUrl>': 'URL to redirect to' };
const externalId: OptionRows = { '--external-id <id>': 'id of the link in another system' };

// What people read. Other columns are in the formats for programs.
const tableColumns: readonly Column<UrlRecord>[] = [
  ...columnsOf<UrlRecord>('shortUrl', 'targetUrl', 'clickCount'),
  { name: 'title', value: titleOf },
];
const listColumns = columnsOf<UrlRecord>(
  ...(['id', 'shortUrl', 'shortCode', 'customSlug', 'isActive', 'targetUrl'] as const),
);

export const urlCommands: Readonly<Record<string, CommandRow>> = {
  create: requestCommand<UrlRecord>('createUrl', {
    examples: [
      'shorty urls create https://example.com --slug launch --tag spring',
      'shorty urls create https://example.com | pbcopy',
    ],
    args: targetUrl,
    options: {
      '--slug <slug>': { text: 'custom slug', field: 'customSlug' },
      '--paused': 'create the link paused',
      ...externalId,
      '--if-exists <action>': {
        text: 'return: the link that already has this target and these settings, if there is one',
        choices: ['return'],
      },
      '--fetch-title': 'take the title of the target, which the server reads',
      ...linkOptions,
    },
    help: 'When stdout is not a terminal, the command prints only the short URL.',
    fields: readNewLink,
    print: async ({ flags, io, output }, created, { expiresAt }: { expiresAt?: string }) => {
      // Another program reads the short URL: url=$(shorty urls create https://example.com)
      const isPiped = io.stdout.isTTY !== true && flags.output === undefined;
      await (isPiped ? output.value(created.shortUrl, created) : output.record(created));
      if (expiresAt && output.isForPeople) output.note(`expires at ${formatInstant(expiresAt)}`);
    },
  }),
  list: listCommand<UrlRecord>('listUrls', {
    summary: 'List short links, newest first, without deleted ones',
    examples: [
      'shorty urls list --tag launch --active --all',
      'shorty urls list --fields id,shortUrl --output csv',
    ],
    fields: async (options: Input, { output: { format, fields } }) => ({
      ...(await readUrlFilter(options)),
      ...((format === 'table' || fields) && { view: 'full' }),
    }),
    // A chosen field has its own value only.
    columns: ({ output: { format, fields } }) =>
      fields ? [] : format === 'table' ? tableColumns : listColumns,
  }),
  upsert: requestCommand('upsertUrl', {
    summary: 'Create a short link with an external id, or change the one that has it',
    examples: ['shorty urls upsert product-7 https://example.com/sale --slug sale --tag shop'],
    args: { '<externalId>': 'id of the link in another system', ...targetUrl },
    options: {
      '--slug <slug>': { text: 'custom slug of a new link', field: 'customSlug' },
      '--paused': 'pause the link',
      ...linkOptions,
    },
    fields: readNewLink,
  }),
  get: requestCommand('getUrl', { examples: ['shorty urls get 42 --fields title,clickCount'] }),
  update: requestCommand<UrlRecord>('updateUrl', {
    summary: 'Change a short link',
    examples: [
      'shorty urls update 42 --title "Autumn sale" --clear expiresAt',
      'shorty urls update 42 --title "Autumn sale" --if-match mi8p2k1x',
    ],
    options: {
      '--target-url <url>': 'new URL to redirect to',
      ...externalId,
      ...linkOptions,
      '--tag <tag>': {
        ...repeatable('tag; the given tags replace all tags of the link'),
        field: 'tags',
      },
      '--add-tag <tag>': { ...repeatable('tag to add'), conflicts: 'tag' },
      '--remove-tag <tag>': { ...repeatable('tag to remove'), conflicts: 'tag' },
    },
    clears: true,
    fields: readChanges,
  }),
  delete: {
    summary: 'Delete short links',
    examples: ['shorty urls delete 42 43 --dry-run', 'shorty urls delete spring-sale --erase'],
    args: { '<link...>': naming('link', 'the links') },
    options: {
      '--erase': 'erase the links with their visits: nothing can restore them',
      ...versionedOptions,
    },
    help: 'urls restore makes deleted links active again.',
    prints: changePrints,
    run: async (
      context,
      { link, erase, ...options }: ChangeOptions & { link: readonly Named[]; erase?: boolean },
    ) => {
      if (!erase && options.ifMatch === undefined) return deleteUrls(context, link, options);
      const { urls } = await context.client();
      const change: Changer = (id, request) =>
        erase ? urls.erase(id, request) : urls.delete(id, request);
      return changeEach(context, erase ? 'Erase' : 'Delete', 'link', link, change, options);
    },
  },
  restore: changeCommand('Restore', 'link', 'restoreUrl', {
    summary: 'Make deleted or paused short links active again',
    examples: ['shorty urls restore spring-sale', 'shorty urls restore 41 42'],
    asks: false,
  }),
  pause: changeCommand('Pause', 'link', 'updateUrl', {
    examples: ['shorty urls pause spring-sale'],
    asks: false,
    body: { isActive: false },
  }),
  resume: changeCommand('Resume', 'link', 'updateUrl', {
    examples: ['shorty urls resume 41 42'],
    asks: false,
    body: { isActive: true },
  }),
  ...ruleCommands,
  'bulk-create': bulkCreate,
  'bulk-update': bulkUpdate,
  'bulk-delete': bulkDelete,
  'erase-visits': changeCommand('Erase all visits of', 'link', 'eraseUrlVisits', {
    examples: ['shorty urls erase-visits spring-sale', 'shorty urls erase-visits 41 42 --yes'],
  }),
  clicks: reportCommand('getUrlClicks', fetchLinkReport, [
    'shorty urls clicks spring-sale --since 7d',
    'shorty urls clicks 42 --since 24h --group-by hour',
  ]),
  visits: exportVisits,
  export: exportLinks,
};

/** Returns the title of a link, after its state if its owner should know it. */
function titleOf({ title, isActive, deletedAt, expiresAt, updatedAt, ...url }: UrlRecord): string {
  const states = {
    deleted: deletedAt !== null,
    'taken down': url.takenDown !== null,
    expired: !isActive && expiresAt !== null && expiresAt <= updatedAt,
    paused: !isActive,
    harmful: url.targetBlockedAt !== null,
  };
  const state = Object.entries(states).find(([, applies]) => applies)?.[0];
  return [state === undefined ? '' : `(${state})`, title ?? ''].join(' ').trim();
}

/** Returns the fields of a new link. */
async function readNewLink({ paused, ...input }: NewLink, context: Context) {
  return {
    ...bodyOf('createUrl', input),
    ...(await readLinkOptions(input, context)),
    targetUrl: await offerScheme(input.targetUrl, 'targetUrl', context),
    ...(paused && { isActive: false }),
  };
}

/** Returns the fields to change, with the version of the link whose tags are changed. */
async function readChanges({ link, targetUrl, clear, ...input }: Changes, context: Context) {
  const { addTag = [], removeTag = [] } = input;
  const patch = {
    ...(await readLinkOptions(input, context)),
    ...(targetUrl !== undefined && {
      targetUrl: await offerScheme(targetUrl, '--target-url', context),
    }),
  };
  if (addTag.length + removeTag.length === 0) return patch;
  if (clear?.includes('tags')) {
    throw new UsageError('--clear tags cannot be used with --add-tag and --remove-tag');
  }
  const { tags, etag } = await link.read();
  const changed = [...new Set([...tags, ...addTag])].filter((tag) => !removeTag.includes(tag));
  // Tags that another client has set meanwhile would be lost.
  return { ...patch, tags: changed, ifMatch: etag };
}
