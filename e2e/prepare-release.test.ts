import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { insertSection, parseChangeset, renderSection } from '../scripts/prepare-release.mjs';
import { versionOf } from '../scripts/release.mjs';
import { root } from './lib/processes.js';

const changesets = [
  parseChangeset('a.md', "---\n'@shorty/server': patch\n---\n\nFixes a thing.\n"),
  parseChangeset(
    'b.md',
    '---\n"@shorty/server": minor\n"@shorty/cli": patch\n---\n\nAdds a thing.\n\nMore of it.\n',
  ),
];

test('a section has each changeset once, under its most severe kind of change', () => {
  expect(renderSection('0.2.0', '2030-01-02', changesets)).toBe(`## 0.2.0 (2030-01-02)

### New and changed

- **cli, server**: Adds a thing.

  More of it.

### Fixed

- **server**: Fixes a thing.
`);
});

test('a new section is inserted after the introduction, before older sections', () => {
  const changelog = '# Changelog\n\nIntroduction.\n\n## 0.1.0 (2030-01-01)\n\n- First.\n';
  expect(insertSection(changelog, '## 0.2.0 (2030-01-02)\n\n- Second.\n')).toBe(
    '# Changelog\n\nIntroduction.\n\n## 0.2.0 (2030-01-02)\n\n- Second.\n\n## 0.1.0 (2030-01-01)\n\n- First.\n',
  );
});

test('a changeset without its first block is rejected with its name', () => {
  expect(() => parseChangeset('odd-file.md', 'Text only.')).toThrow('odd-file.md');
});

test('the newest section of CHANGELOG.md has the version of all packages', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const [, newest] = /^## (\S+) \(\d{4}-\d\d-\d\d\)$/m.exec(changelog) ?? [];
  for (const name of ['cli', 'sdk', 'server', 'webhook-verifier']) {
    expect({ name, version: versionOf(name) }).toEqual({ name, version: newest });
  }
});
