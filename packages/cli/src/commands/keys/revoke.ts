import { type ApiKeysResource, NotFoundError, type RequestOptions } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import { addDeleteOptions, type DeleteOptions, deleteItems, removeEach } from '../delete-items.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<id...>', 'ids of the keys');
  addDeleteOptions(command).action((ids: string[], options: DeleteOptions) =>
    start(async (context) => {
      const { apiKeys } = await context.client();
      const request = { signal: context.io.interrupt };
      const deleter = {
        noun: 'key',
        verb: 'Revoke',
        find: (id: string) => findKey(apiKeys, id, request),
        remove: (all: readonly string[]) => removeEach(all, (id) => apiKeys.delete(id, request)),
      } as const;
      return deleteItems(context, ids, deleter, options);
    }),
  );
};

/** Finds a key in the list, because the API has no route that reads one. */
async function findKey(apiKeys: ApiKeysResource, id: string, request: RequestOptions) {
  for await (const key of apiKeys.list({}, request)) if (key.id === id) return key;
  throw new NotFoundError(`There is no API key "${id}" in this organization`, { status: 404 });
}
