import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { withEtag } from '../../etag.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { type NewLinkOptions, readNewLink } from './create.js';
import { addLinkOptions } from './link-options.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<externalId>', 'id of the link in another system')
    .argument('<targetUrl>', 'URL to redirect to')
    .option('--slug <slug>', 'custom slug of a new link')
    .option('--inactive', 'pause the link');
  addLinkOptions(command).action((externalId: string, targetUrl: string, options: NewLinkOptions) =>
    start((context) => upsertUrl(context, externalId, targetUrl, options)),
  );
};

async function upsertUrl(
  context: Context,
  externalId: string,
  targetUrl: string,
  options: NewLinkOptions,
): Promise<ExitCode> {
  const body = await readNewLink(context, targetUrl, options);
  const client = await context.client();
  const call = client.urls.upsert(externalId, body, { signal: context.io.interrupt });
  await context.output.record(withEtag(await call.withResponse()));
  return exitCodes.done;
}
