import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tableNames } from '../../src/storage/schema.js';

// Positions and counters of the server's own work.
const withoutData = ['journal_positions', 'link_policy', 'url_id_counter'];

it('docs/privacy.md says how long the rows of each table are retained', () => {
  const guide = readFileSync(new URL('../../../../docs/privacy.md', import.meta.url), 'utf8');
  const named = tableNames.filter((table) => guide.includes(`\`${table}\``));
  expect([...named, ...withoutData].sort()).toEqual([...tableNames].sort());
});
