import type { DefineCommand } from '../../command.js';
import { findLinkIds } from '../../find-link.js';
import { type DeleteOptions, deleteItems, removeEach } from '../delete-items.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<link...>', 'ids, short URLs, slugs or short codes of the links')
    .option('--dry-run', 'show what would happen, change nothing')
    .action((links: string[], options: Pick<DeleteOptions, 'dryRun'>) =>
      start(async (context) => {
        const client = await context.client();
        const { urls } = client;
        const request = { signal: context.io.interrupt };
        const ids = await findLinkIds(client, links, request);
        const restorer = {
          noun: 'link',
          verb: 'Restore',
          find: (id: string) => urls.get(id, request),
          remove: (all: readonly string[]) => removeEach(all, (id) => urls.restore(id, request)),
        } as const;
        // Nothing is lost, so the command does not ask.
        return deleteItems(context, ids, restorer, { ...options, yes: true });
      }),
    );
};
