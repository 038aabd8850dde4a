import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../../test/scratch-folder.js';
import { withScratchFolder } from './move-into-place.js';

it('deletes what a killed process has left, and nothing that may be in use', async () => {
  const parent = scratchFolder();
  let name = '';
  await withScratchFolder(join(parent, 'backup.partial-'), (folder) => {
    name = folder;
  });
  expect(existsSync(name)).toBe(false);
  const dayAgo = Date.now() / 1000 - 24 * 60 * 60;
  const create = (path: string, writtenAt: number) => {
    const file = join(path, 'shorty.db');
    mkdirSync(path);
    writeFileSync(file, 'half');
    utimesSync(file, writtenAt, writtenAt);
    utimesSync(path, dayAgo, dayAgo);
    return path;
  };
  const folders = [
    create(name, dayAgo),
    // Still written to.
    create(name.replace('backup', 'running'), Date.now() / 1000),
    create(join(parent, 'of-another-program'), dayAgo),
  ];
  await withScratchFolder(join(parent, 'other.partial-'), () => {});
  expect(folders.map((path) => existsSync(path))).toEqual([false, true, true]);
});
