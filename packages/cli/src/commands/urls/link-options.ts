import type { UrlListQuery, UrlUpdateRequest } from '@shorty/sdk';
import { timeZoneOption } from '../../analytics/parse-time.js';
import { UsageError } from '../../cli-error.js';
import { defined, type OptionRows, repeatable } from '../../command.js';
import type { Context } from '../../context.js';
import { bodyOf, fieldOptions } from '../../field-options.js';
import { type Input, withIds } from '../../input.js';
import { readSecret } from '../../prompt.js';
import { type Named, naming } from '../../records.js';
import { expiresAtOption } from '../keys.js';
import { rulesFile } from './rules.js';

/** The options that are not one field each. */
export interface LinkOptions {
  readonly domainId?: Named;
  readonly passwordStdin?: boolean;
  readonly previewTitle?: string;
  readonly previewDescription?: string;
  readonly previewImage?: string;
}

// Fields that other options or arguments set.
const otherFields = [
  ...['targetUrl', 'externalId', 'domainId', 'isActive', 'isPasswordProtected', 'password'],
];

/** The options that `create` and `update` share. */
export const linkOptions: OptionRows = {
  ...fieldOptions('updateUrl', otherFields),
  '--domain-id <domain>': naming('domain', 'custom domain of the link'),
  '--activates-at <time>': {
    text: 'when it starts to redirect: a time, a date or a duration (30d)',
    time: 'start',
  },
  '--expires-at <time>': expiresAtOption,
  ...timeZoneOption,
  '--tag <tag>': { ...repeatable('tag'), field: 'tags' },
  '--password-stdin': 'read a password for the link from stdin (prompts on a terminal)',
  '--utm-param <key=value>': {
    text: 'other query parameter; repeatable',
    parse: collectPair,
    field: 'customUtmParams',
  },
  '--rules <file>': rulesFile,
  '--preview-title <text>': 'title that link previews show',
  '--preview-description <text>': 'text that link previews show',
  '--preview-image <url>': 'image that link previews show',
};

/** Returns the request fields of the options that were set. */
export async function readLinkOptions(input: LinkOptions, context: Context) {
  const preview = readPreview(input);
  return {
    ...(await withIds(bodyOf('updateUrl', input))),
    ...(preview && { preview }),
    ...(input.passwordStdin && { password: await readPassword(context) }),
  };
}

function readPreview(input: LinkOptions): UrlUpdateRequest['preview'] {
  const { previewTitle: title, previewDescription: description, previewImage: imageUrl } = input;
  const parts = defined({ title, description, imageUrl });
  if (Object.keys(parts).length === 0) return undefined;
  if (title === undefined) throw new UsageError('a preview needs a title: set --preview-title');
  return { ...parts, title };
}

async function readPassword(context: Context): Promise<string> {
  const password = await readSecret(context, 'Password for the link (not shown): ');
  if (password === '') {
    throw new UsageError('--password-stdin: stdin is empty, or another option has read it');
  }
  return password;
}

function collectPair(pair: string, earlier: object = {}): object {
  const split = pair.indexOf('=');
  if (split > 0) return { ...earlier, [pair.slice(0, split)]: pair.slice(split + 1) };
  throw new UsageError(`--utm-param ${pair}: must have the form key=value`);
}

/** The options that select links. */
export const filterOptions = fieldOptions('listUrls', ['sort', 'order']);

/** Returns the query of the options. Deleted links are found only by --deleted. */
export async function readUrlFilter(filter: Input): Promise<Omit<UrlListQuery, 'view'>> {
  return { isDeleted: false, ...(await withIds(bodyOf('listUrls', filter))) };
}
