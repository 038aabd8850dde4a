import { NotFoundError, type RequestOptions, type TagsResource } from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import { addDeleteOptions, type DeleteOptions, deleteItems, removeEach } from '../delete-items.js';
import { changeTag } from './change-tag.js';

export const define: DefineCommand = (command, start) => {
  command.argument('<tag...>', 'tags to remove from all links, in their exact case');
  addDeleteOptions(command).action((names: string[], options: DeleteOptions) =>
    start(async (context) => {
      const { tags } = await context.client();
      const request = { signal: context.io.interrupt };
      const deleter = {
        noun: 'tag',
        verb: 'Delete',
        find: (name: string) => findTag(tags, name, request),
        remove: (all: readonly string[]) =>
          removeEach(all, (name) => changeTag(() => tags.delete(name, request))),
      } as const;
      return deleteItems(context, names, deleter, options);
    }),
  );
};

/** Finds a tag in the list, because the API has no route that reads one. */
async function findTag(tags: TagsResource, name: string, request: RequestOptions) {
  for await (const tag of tags.list({ search: name }, request)) if (tag.name === name) return tag;
  throw new NotFoundError('no link of this organization has this tag', { status: 404 });
}
