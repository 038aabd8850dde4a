import type { DefineCommand } from '../../../command.js';
import { exitCodes } from '../../../exit-codes.js';
import { findLink } from '../../../find-link.js';
import { showRules } from './show-rules.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<link>', 'id, short URL, slug or code of the link').action((link: string) =>
    start(async (context) => {
      const request = { signal: context.io.interrupt };
      const { data } = await findLink(await context.client(), link, request);
      await showRules(context, data.rules);
      return exitCodes.done;
    }),
  );
};
