import type { DefineCommand } from '../../../command.js';
import type { Context } from '../../../context.js';
import { type ExitCode, exitCodes } from '../../../exit-codes.js';
import { findLinkId } from '../../../find-link.js';
import { readRules } from './read-rules.js';
import { showRules } from './show-rules.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<link>', 'id, short URL, slug or code of the link')
    .argument('<file>', 'file with a JSON list of rules, or - for stdin; [] removes all rules')
    .action((link: string, path: string) => start((context) => setRules(context, link, path)));
};

async function setRules(context: Context, link: string, path: string): Promise<ExitCode> {
  const rules = await readRules(context, path);
  const client = await context.client();
  const request = { signal: context.io.interrupt };
  const id = await findLinkId(client, link, request);
  const updated = await client.urls.update(id, { rules }, request);
  await showRules(context, updated.rules);
  return exitCodes.done;
}
