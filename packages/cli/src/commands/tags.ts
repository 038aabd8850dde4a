import { formatCount } from '@shorty/report';
import { NotFoundError, type Tag, type TagChangeResult } from '@shorty/sdk';
import type { CommandRow } from '../command.js';
import { columnsOf } from '../output.js';
import { deleteCommand } from './change-command.js';
import { listCommand } from './list-command.js';

export const tagCommands: Readonly<Record<string, CommandRow>> = {
  list: listCommand<Tag>('tag', {
    summary: 'List tags with their number of links',
    examples: ['shorty tags list --sort linkCount', 'shorty tags list --search spring --all'],
    options: {
      '--search <text>': 'only tags that contain this text, in any case',
      '--sort <field>': {
        text: 'order of the tags (default: name)',
        choices: ['name', 'linkCount'],
      },
      '--order <direction>': {
        text: 'asc or desc (default: asc for name, desc for linkCount)',
        choices: ['asc', 'desc'],
      },
    },
    columns: columnsOf('name', 'linkCount'),
    read: ({ tags }, query, request) => tags.list(query, request),
  }),
  rename: {
    summary: 'Rename a tag on every link, or merge two tags',
    examples: ['shorty tags rename lanch launch', 'shorty tags rename "Q1/mail" "Q1 mail"'],
    args: {
      '<tag>': 'the tag, in its exact case',
      '<name>': 'the new name; an existing tag gets the links of both',
    },
    prints: ['name', 'updatedCount'],
    run: async ({ client, output, request }, { tag, name }: { tag: string; name: string }) => {
      const { tags } = await client();
      const updatedCount = await changeTag(() => tags.rename(tag, { name }, request));
      if (!output.isForPeople) await output.record({ name, updatedCount });
      await output.result(`${tag} renamed to ${name} on ${formatCount(updatedCount, 'link')}`);
    },
  },
  delete: deleteCommand(
    { noun: 'tag', verb: 'Delete' },
    {
      summary: 'Remove tags from every link',
      examples: ['shorty tags delete old', 'shorty tags delete old older --dry-run'],
      args: { '<tag...>': 'tags to remove from all links, in their exact case' },
    },
    ({ tags }, request) => ({
      // The API has no route that reads one tag.
      find: async (name) => {
        for await (const tag of tags.list({ search: name }, request)) {
          if (tag.name === name) return tag;
        }
        throw new NotFoundError('no link of this organization has this tag', { status: 404 });
      },
      change: (name) => changeTag(() => tags.delete(name, request)),
    }),
  ),
};

/**
 * Repeats a request until no link with the tag remains. Returns the number of changed links. Rejects
 * with NotFoundError if no link had the tag.
 */
export async function changeTag(send: () => PromiseLike<TagChangeResult>): Promise<number> {
  let count = 0;
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      const { updatedCount, isComplete } = await send();
      count += updatedCount;
      if (isComplete) return count;
    } catch (error) {
      // Another client has changed the remaining links.
      if (isRepeated && error instanceof NotFoundError) return count;
      throw error;
    }
  }
}
