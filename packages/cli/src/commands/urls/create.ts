import type { UrlCreateRequest } from '@shorty/sdk';
import { Option } from 'commander';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { offerScheme } from '../../scheme.js';
import { addLinkOptions, type LinkOptions, readLinkOptions } from './link-options.js';

/** The options of commands that create a link. */
export interface NewLinkOptions extends LinkOptions {
  readonly slug?: string;
  readonly inactive?: boolean;
}

interface CreateOptions extends NewLinkOptions {
  readonly externalId?: string;
  readonly ifExists?: 'return';
  readonly fetchTitle?: boolean;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<targetUrl>', 'URL to redirect to')
    .option('--slug <slug>', 'custom slug')
    .option('--inactive', 'create the link paused')
    .option('--external-id <id>', 'id of the link in another system')
    .addOption(
      new Option(
        '--if-exists <action>',
        'return: the link that already has this target and these settings, if there is one',
      ).choices(['return']),
    )
    .option('--fetch-title', 'take the title of the target, which the server reads');
  addLinkOptions(command)
    .addHelpText('after', help)
    .action((targetUrl: string, options: CreateOptions) =>
      start((context) => createUrl(context, targetUrl, options)),
    );
};

const help = `
When stdout is not a terminal, the command prints only the short URL.`;

/** Returns the fields of a new link. */
export async function readNewLink(
  context: Context,
  targetUrl: string,
  { slug, inactive, ...link }: NewLinkOptions,
): Promise<UrlCreateRequest> {
  const target = await offerScheme(targetUrl, 'targetUrl', context);
  const { isPasswordProtected: _, password, ...fields } = await readLinkOptions(link, context);
  const body: UrlCreateRequest = {
    ...fields,
    ...(password == null ? {} : { isPasswordProtected: true, password }),
    targetUrl: target,
  };
  if (slug !== undefined) body.customSlug = slug;
  if (inactive) body.isActive = false;
  return body;
}

async function createUrl(
  context: Context,
  targetUrl: string,
  options: CreateOptions,
): Promise<ExitCode> {
  const { externalId, ifExists, fetchTitle, ...link } = options;
  const { io, output } = context;
  const body: UrlCreateRequest = await readNewLink(context, targetUrl, link);
  if (externalId !== undefined) body.externalId = externalId;
  if (ifExists !== undefined) body.ifExists = ifExists;
  if (fetchTitle) body.fetchTitle = true;
  const client = await context.client();
  const created = await client.urls.create(body, { signal: io.interrupt });
  // Another program reads the short URL: url=$(shorty urls create https://example.com)
  const isPiped = io.stdout.isTTY !== true && context.flags.output === undefined;
  if (isPiped && output.format === 'table' && !output.fields)
    await output.write(`${created.shortUrl}\n`);
  else await output.record(created);
  return exitCodes.done;
}
