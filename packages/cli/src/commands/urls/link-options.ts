import type { UrlUpdateRequest } from '@shorty/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../cli-error.js';
import { collect } from '../../command.js';
import type { Context } from '../../context.js';
import { askHidden, readSecret } from '../../prompt.js';
import { readRules } from './rules/read-rules.js';

/** The options that `create` and `update` share. */
export interface LinkOptions {
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly tag?: readonly string[];
  readonly domainId?: string;
  readonly redirectType?: number;
  readonly activatesAt?: string;
  readonly expiresAt?: string;
  readonly expiredUrl?: string;
  readonly maxClicks?: number;
  readonly passwordStdin?: boolean;
  readonly utmSource?: string;
  readonly utmMedium?: string;
  readonly utmCampaign?: string;
  readonly utmTerm?: string;
  readonly utmContent?: string;
  readonly utmParam?: readonly string[];
  readonly sourceDomain?: string;
  readonly clickThresholds?: readonly number[];
  readonly forwardQuery?: boolean;
  readonly forwardPath?: boolean;
  readonly rules?: string;
  readonly previewTitle?: string;
  readonly previewDescription?: string;
  readonly previewImage?: string;
}

const redirectTypes = ['301', '302', '307', '308'];

export function addLinkOptions(command: Command): Command {
  return command
    .option('--title <text>', 'title')
    .option('--description <text>', 'description')
    .option('--category <text>', 'category')
    .option('--tag <tag>', 'tag; repeatable', collect)
    .option('--domain-id <uuid>', 'custom domain of the link')
    .addOption(
      new Option('--redirect-type <status>', 'HTTP status of the redirect')
        .choices(redirectTypes)
        .argParser(parseRedirectType),
    )
    .option('--activates-at <time>', 'when the link starts redirecting')
    .option('--expires-at <time>', 'expiry time, for example 2030-12-31T23:59:59Z')
    .option('--expired-url <url>', 'where visitors are sent when the link has expired')
    .option('--max-clicks <count>', 'how many clicks the link redirects in all', parsePositive)
    .option('--password-stdin', 'read a password for the link from stdin (prompts on a terminal)')
    .option('--utm-source <text>', 'utm_source to add to the target URL')
    .option('--utm-medium <text>', 'utm_medium to add to the target URL')
    .option('--utm-campaign <text>', 'utm_campaign to add to the target URL')
    .option('--utm-term <text>', 'utm_term to add to the target URL')
    .option('--utm-content <text>', 'utm_content to add to the target URL')
    .option('--utm-param <key=value>', 'other query parameter; repeatable', collect)
    .option('--source-domain <domain>', 'source domain for attribution')
    .option(
      '--click-thresholds <counts>',
      'click counts that send url.click_threshold, such as 100,1000',
      parseThresholds,
    )
    .option('--forward-query', 'add the query of a visit to the target')
    .option('--no-forward-query', 'do not, whatever the domain does')
    .option('--forward-path', 'add the path after the link to the target')
    .option('--no-forward-path', 'do not, whatever the domain does')
    .option('--rules <file>', 'file with a JSON list of rules, or - for stdin')
    .option('--preview-title <text>', 'title that link previews show')
    .option('--preview-description <text>', 'text that link previews show')
    .option('--preview-image <url>', 'image that link previews show');
}

type RedirectType = NonNullable<UrlUpdateRequest['redirectType']>;

/** Returns the request fields of the options that were set. */
export async function readLinkOptions(
  options: LinkOptions,
  context: Context,
): Promise<UrlUpdateRequest> {
  const { tag, utmParam, passwordStdin, redirectType, clickThresholds, ...texts } = options;
  const { title, description, category, domainId, sourceDomain } = texts;
  const { activatesAt, expiresAt, expiredUrl, maxClicks, forwardQuery, forwardPath } = texts;
  const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent } = texts;
  const named = { title, description, category, domainId, sourceDomain };
  const lifeCycle = { activatesAt, expiresAt, expiredUrl, maxClicks };
  const utm = { utmSource, utmMedium, utmCampaign, utmTerm, utmContent };
  const body: UrlUpdateRequest = Object.fromEntries(
    Object.entries({ ...named, ...lifeCycle, ...utm, forwardQuery, forwardPath }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  // The server validates the number.
  if (redirectType !== undefined) body.redirectType = redirectType as RedirectType;
  if (tag) body.tags = [...tag];
  if (clickThresholds) body.clickThresholds = [...clickThresholds];
  if (utmParam) body.customUtmParams = parsePairs(utmParam);
  const preview = readPreview(options);
  if (preview) body.preview = preview;
  if (options.rules !== undefined) {
    if (options.rules === '-' && passwordStdin) {
      throw new UsageError('--rules - and --password-stdin cannot both read stdin');
    }
    body.rules = await readRules(context, options.rules);
  }
  if (passwordStdin) {
    body.password = await readPassword(context);
    body.isPasswordProtected = true;
  }
  return body;
}

/** Returns the preview of the options that were set. */
function readPreview({
  previewTitle: title,
  previewDescription: description,
  previewImage: imageUrl,
}: LinkOptions): UrlUpdateRequest['preview'] {
  const parts = { title, description, imageUrl };
  const given = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
  if (Object.keys(given).length === 0) return undefined;
  if (title === undefined) throw new UsageError('a preview needs a title: set --preview-title');
  return { ...given, title };
}

async function readPassword(context: Context): Promise<string> {
  const password = context.isInteractive
    ? await askHidden('Password for the link (not shown): ', context.io)
    : await readSecret(context.io);
  if (password === '') throw new UsageError('--password-stdin: stdin is empty');
  return password;
}

function parsePairs(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const split = pair.indexOf('=');
      if (split > 0) return [pair.slice(0, split), pair.slice(split + 1)];
      throw new UsageError(`--utm-param ${pair}: must have the form key=value`);
    }),
  );
}

function parseRedirectType(text: string): number {
  if (/^\d{3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be 301, 302, 307 or 308.');
}

function parseThresholds(text: string): number[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.every((part) => /^\d{1,15}$/.test(part))) return parts.map(Number);
  throw new InvalidArgumentError('It must be whole numbers separated by commas, such as 100,1000.');
}

/** Parses an option value from 0. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text)) return count;
  throw new InvalidArgumentError('It must be a whole number.');
}

/** Parses an option value from 1. */
export function parsePositive(text: string): number {
  const count = parseCount(text);
  if (count > 0) return count;
  throw new InvalidArgumentError('It must be at least 1.');
}
