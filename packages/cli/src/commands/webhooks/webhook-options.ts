import type { Shorty, WebhookCreateRequest } from '@shorty/sdk';
import type { Command } from 'commander';
import { collect } from '../../command.js';
import type { Context } from '../../context.js';
import { findLinkId } from '../../find-link.js';
import { headerHelp, readHeaders } from '../../webhooks/read-headers.js';

/** The options that `create` and `update` share, beside those of the event types. */
export interface WebhookOptions {
  readonly description?: string;
  readonly tag?: readonly string[];
  readonly domainId?: readonly string[];
  readonly urlId?: readonly string[];
  readonly header?: readonly string[];
  readonly headersStdin?: boolean;
}

export function addWebhookOptions(command: Command): Command {
  return command
    .option('--description <text>', 'notes for people who manage the webhooks')
    .option('--tag <tag>', 'only events about links with this tag; repeatable', collect)
    .option('--domain-id <uuid>', 'only events about links on this domain; repeatable', collect)
    .option('--url-id <link>', 'only events about this link; repeatable', collect)
    .option(
      '--header <name=source>',
      'header of each delivery, from env:VARIABLE or @file; repeatable',
      collect,
    )
    .option('--headers-stdin', "read 'Name: value' lines from stdin (prompts on a terminal)")
    .addHelpText('after', headerHelp);
}

type Settings = Pick<WebhookCreateRequest, 'description' | 'filters' | 'headers'>;

/** Returns the request fields of the options that were set. */
export async function readWebhookOptions(
  { description, tag, domainId, urlId, header, headersStdin }: WebhookOptions,
  context: Context,
): Promise<Settings> {
  const headers = await readHeaders(context, header, headersStdin);
  const filters: NonNullable<Settings['filters']> = {
    ...(tag && { tags: [...tag] }),
    ...(domainId && { domainIds: [...domainId] }),
    ...(urlId && { urlIds: await findLinkIds(context, urlId) }),
  };
  return {
    ...(description !== undefined && { description }),
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(headers && { headers }),
  };
}

async function findLinkIds(context: Context, links: readonly string[]): Promise<string[]> {
  const client: Shorty = await context.client();
  const request = { signal: context.io.interrupt };
  return Promise.all(links.map((link) => findLinkId(client, link, request)));
}
