import type { DefineCommand } from '../../command.js';
import { findLinkId } from '../../find-link.js';
import {
  addVersionedDeleteOptions,
  checkVersion,
  type VersionedDeleteOptions,
} from '../delete-items.js';
import { deleteUrls } from './delete-urls.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<link...>', 'ids, short URLs, slugs or short codes of the links');
  addVersionedDeleteOptions(command).action((links: string[], options: VersionedDeleteOptions) =>
    start(async (context) => {
      const client = await context.client();
      const ids: string[] = [];
      // All links are found before one is deleted.
      for (const link of links.flatMap((text) => text.split(','))) {
        ids.push(await findLinkId(client, link.trim(), { signal: context.io.interrupt }));
      }
      checkVersion(ids, options);
      return deleteUrls(context, ids, options);
    }),
  );
};
