import type { DefineCommand } from '../../command.js';
import { findLinkIds } from '../../find-link.js';
import { addDeleteOptions, type DeleteOptions, deleteItems, removeEach } from '../delete-items.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<link...>', 'ids, short URLs, slugs or short codes of the links');
  addDeleteOptions(command).action((links: string[], options: DeleteOptions) =>
    start(async (context) => {
      const client = await context.client();
      const { urls } = client;
      const request = { signal: context.io.interrupt };
      const ids = await findLinkIds(client, links, request);
      const deleter = {
        noun: 'link',
        verb: 'Erase all visits of',
        find: (id: string) => urls.get(id, request),
        remove: (all: readonly string[]) => removeEach(all, (id) => urls.eraseVisits(id, request)),
      } as const;
      return deleteItems(context, ids, deleter, options);
    }),
  );
};
