import type { DefineCommand } from '../../command.js';
import { findLinkIds } from '../../find-link.js';
import { type DeleteOptions, deleteItems, removeEach } from '../delete-items.js';

/** Pauses links. */
export const pause = { define: defineSetActive('Pause') };

/** Resumes links that are paused. */
export const resume = { define: defineSetActive('Resume') };

function defineSetActive(verb: 'Pause' | 'Resume'): DefineCommand {
  return (command, start) => {
    command
      .argument('<link...>', 'ids, short URLs, slugs or short codes of the links')
      .option('--dry-run', 'show what would happen, change nothing')
      .action((links: string[], options: Pick<DeleteOptions, 'dryRun'>) =>
        start(async (context) => {
          const client = await context.client();
          const request = { signal: context.io.interrupt };
          const body = { isActive: verb === 'Resume' };
          const change = {
            noun: 'link',
            verb,
            find: (id: string) => client.urls.get(id, request),
            remove: (ids: readonly string[]) =>
              removeEach(ids, (id) => client.urls.update(id, body, request)),
          };
          const ids = await findLinkIds(client, links, request);
          // Nothing is lost, so the command does not ask.
          return deleteItems(context, ids, change, { ...options, yes: true });
        }),
      );
  };
}
