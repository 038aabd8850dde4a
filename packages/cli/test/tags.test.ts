import { expect, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const { shorty } = await startSignedInShorty();
for (const tags of [['lanch', 'a/b'], ['launch'], ['lanch', 'launch', '100%']]) {
  const args = tags.flatMap((tag) => ['--tag', tag]);
  await shorty.run(['urls', 'create', 'https://example.com', ...args]);
}

const list = async (...args: string[]) =>
  (await shorty.run(['tags', 'list', '-o', 'csv', ...args])).stdout;

test('tags list prints the tags with their number of links', async () => {
  expect(await list()).toBe('name,linkCount\n100%,1\na/b,1\nlanch,2\nlaunch,2\n');
  expect(await list('--search', 'LA', '--order', 'desc')).toBe(
    'name,linkCount\nlaunch,2\nlanch,2\n',
  );
});

test('tags rename merges two tags', async () => {
  const { code, stdout, stderr } = await shorty.run('tags rename lanch launch --json');
  expect([code, JSON.parse(stdout)]).toEqual([0, { name: 'launch', updatedCount: 2 }]);
  expect(stderr).toBe('lanch renamed to launch on 2 links\n');
  expect(await list('--search', 'la')).toBe('name,linkCount\nlaunch,3\n');
});

test('tags rename says that no link has the tag', async () => {
  await shorty.exits(1, 'There is no tag "none"', 'tags rename none other');
});

test('tags delete removes tags, and reports those that no link has', async () => {
  const dry = await shorty.run('tags delete a/b none --dry-run -o csv');
  expect(dry.code).toBe(3);
  expect(dry.stdout).toBe('id,status\na/b,would be deleted\nnone,would be skipped\n');
  const { code, stdout } = await shorty.run('tags delete a/b 100% none -o csv');
  expect([code, stdout]).toEqual([3, 'id,status\na/b,deleted\n100%,deleted\nnone,skipped\n']);
  expect(await list()).toBe('name,linkCount\nlaunch,3\n');
});
