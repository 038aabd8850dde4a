import { formatCount } from '@shorty/report';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { changeTag } from './change-tag.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<tag>', 'the tag, in its exact case')
    .argument('<name>', 'the new name; an existing tag gets the links of both')
    .action((tag: string, name: string) => start((context) => renameTag(context, tag, name)));
};

async function renameTag(context: Context, tag: string, name: string): Promise<ExitCode> {
  const { io, output } = context;
  const { tags } = await context.client();
  const updatedCount = await changeTag(() => tags.rename(tag, { name }, { signal: io.interrupt }));
  await output.record({ name, updatedCount });
  output.note(`${tag} renamed to ${name} on ${formatCount(updatedCount, 'link')}`);
  return exitCodes.done;
}
