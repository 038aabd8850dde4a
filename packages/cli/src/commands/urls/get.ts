import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { withEtag } from '../../etag.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { findLink } from '../../find-link.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<link>', 'id, short URL, slug or code of the link')
    .action((link: string) => start((context) => getUrl(context, link)));
};

async function getUrl({ io, output, client }: Context, link: string): Promise<ExitCode> {
  await output.record(withEtag(await findLink(await client(), link, { signal: io.interrupt })));
  return exitCodes.done;
}
