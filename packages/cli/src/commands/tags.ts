import { formatCount } from '@shorty/report';
import { NotFoundError, type Tag, type TagChangeResult } from '@shorty/sdk';
import type { CommandRow } from '../command.js';
import { changeCommand } from './change-command.js';
import { listCommand } from './request-command.js';

export const tagCommands: Readonly<Record<string, CommandRow>> = {
  list: listCommand<Tag>('listTags', {
    examples: ['shorty tags list', 'shorty tags list --search spring --all'],
    columns: ['name', 'linkCount'],
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
  delete: changeCommand('Delete', 'tag', 'deleteTag', {
    summary: 'Remove tags from every link',
    examples: ['shorty tags delete old', 'shorty tags delete old older --dry-run'],
    change: async (name, { client, request }) => {
      const { tags } = await client();
      return changeTag(() => tags.delete(name, request));
    },
  }),
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
