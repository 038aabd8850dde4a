import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import type { ExitCode } from '../../exit-codes.js';
import { findLinkIds } from '../../find-link.js';
import {
  addVersionedDeleteOptions,
  checkVersion,
  deleteItems,
  removeEach,
  type VersionedDeleteOptions,
} from '../delete-items.js';
import { deleteUrls } from './delete-urls.js';

interface Options extends VersionedDeleteOptions {
  readonly erase?: boolean;
}

export const define: DefineCommand = (command, start) => {
  command.argument('<link...>', 'ids, short URLs, slugs or short codes of the links');
  command.option('--erase', 'erase the links with their visits: nothing can restore them');
  addVersionedDeleteOptions(command).action((links: string[], options: Options) =>
    start(async (context) => {
      const client = await context.client();
      const ids = await findLinkIds(client, links, { signal: context.io.interrupt });
      checkVersion(ids, options);
      return options.erase ? eraseUrls(context, ids, options) : deleteUrls(context, ids, options);
    }),
  );
};

/** Erases links, one per request. */
async function eraseUrls(
  context: Context,
  ids: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const { urls } = await context.client();
  const { ifMatch } = options;
  const request = { signal: context.io.interrupt };
  const change = { ...request, ...(ifMatch !== undefined && { ifMatch }) };
  const deleter = {
    noun: 'link',
    verb: 'Erase',
    find: (id: string) => urls.get(id, request),
    remove: (all: readonly string[]) => removeEach(all, (id) => urls.erase(id, change)),
  } as const;
  return deleteItems(context, ids, deleter, options);
}
