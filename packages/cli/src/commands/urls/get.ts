import { UsageError } from '../../cli-error.js';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { withEtag } from '../../etag.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { findLink } from '../../find-link.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('[link]', 'id, short URL, slug or code of the link')
    .option('--external-id <id>', 'id of the link in another system, instead of <link>')
    .action((link: string | undefined, { externalId }: { readonly externalId?: string }) =>
      start((context) => getUrl(context, link, externalId)),
    );
};

async function getUrl(
  { io, output, client }: Context,
  link: string | undefined,
  externalId: string | undefined,
): Promise<ExitCode> {
  const request = { signal: io.interrupt };
  if ((link === undefined) === (externalId === undefined)) {
    throw new UsageError('which link?', 'give its id, short URL, slug or code, or --external-id');
  }
  const shorty = await client();
  const found =
    externalId === undefined
      ? findLink(shorty, link as string, request)
      : shorty.urls.getByExternalId(externalId, request).withResponse();
  await output.record(withEtag(await found));
  return exitCodes.done;
}
