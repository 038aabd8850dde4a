import type { DefineCommand } from '../../command.js';
import { addDeleteOptions, type DeleteOptions } from '../delete-items.js';
import { deleteUrls, parseIds } from './delete-urls.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id...>', 'ids of the links');
  addDeleteOptions(command).action((ids: string[], options: DeleteOptions) =>
    start((context) => deleteUrls(context, parseIds(ids), options)),
  );
};
