import type { UrlCreateRequest } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { addLinkOptions, type LinkOptions, readLinkOptions } from './link-options.js';

interface CreateOptions extends LinkOptions {
  readonly slug?: string;
}

export const define: DefineCommand = (command, start) => {
  command.argument('<targetUrl>', 'URL to redirect to').option('--slug <slug>', 'custom slug');
  addLinkOptions(command).action((targetUrl: string, options: CreateOptions) =>
    start((context) => createUrl(context, targetUrl, options)),
  );
};

async function createUrl(
  context: Context,
  targetUrl: string,
  options: CreateOptions,
): Promise<ExitCode> {
  const { slug, ...link } = options;
  const body: UrlCreateRequest = { ...(await readLinkOptions(link, context)), targetUrl };
  if (slug !== undefined) body.customSlug = slug;
  const client = await context.client();
  const created = await client.urls.create(body, { signal: context.io.interrupt });
  await context.output.record(created);
  return exitCodes.done;
}
