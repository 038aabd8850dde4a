import type { DefineCommand } from '../../command.js';
import { deleteUrls, parseIds } from './delete-urls.js';

export const define: DefineCommand = (command, start) => {
  command
    .argument('<id...>', 'ids of the links')
    .action((ids: string[]) => start((context) => deleteUrls(context, parseIds(ids))));
};
