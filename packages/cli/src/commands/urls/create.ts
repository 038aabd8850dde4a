import type { UrlCreateRequest } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { offerScheme } from '../../scheme.js';
import { addLinkOptions, type LinkOptions, readLinkOptions } from './link-options.js';

interface CreateOptions extends LinkOptions {
  readonly slug?: string;
  readonly inactive?: boolean;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<targetUrl>', 'URL to redirect to')
    .option('--slug <slug>', 'custom slug')
    .option('--inactive', 'create the link paused');
  addLinkOptions(command)
    .addHelpText('after', help)
    .action((targetUrl: string, options: CreateOptions) =>
      start((context) => createUrl(context, targetUrl, options)),
    );
};

const help = `
When stdout is not a terminal, the command prints only the short URL.`;

async function createUrl(
  context: Context,
  targetUrl: string,
  options: CreateOptions,
): Promise<ExitCode> {
  const { slug, inactive, ...link } = options;
  const { io, output } = context;
  const target = await offerScheme(targetUrl, 'targetUrl', context);
  const { isPasswordProtected: _, password, ...fields } = await readLinkOptions(link, context);
  const body: UrlCreateRequest = {
    ...fields,
    ...(password == null ? {} : { isPasswordProtected: true, password }),
    targetUrl: target,
  };
  if (slug !== undefined) body.customSlug = slug;
  if (inactive) body.isActive = false;
  const client = await context.client();
  const created = await client.urls.create(body, { signal: io.interrupt });
  // Another program reads the short URL: url=$(shorty urls create https://example.com)
  const isPiped = io.stdout.isTTY !== true && context.flags.output === undefined;
  if (isPiped && output.format === 'table' && !output.fields)
    await output.write(`${created.shortUrl}\n`);
  else await output.record(created);
  return exitCodes.done;
}
