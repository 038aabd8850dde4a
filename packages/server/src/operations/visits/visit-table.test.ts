import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CellType, VisitTable } from './visit-table.js';

const guide = readFileSync(new URL('../../../../../docs/scale.md', import.meta.url), 'utf8');
const { columns } = new VisitTable(true);
const names: string[] = columns.map(({ name }) => name);

/** The types of ClickHouse that can store the values of a column. */
const clickHouseTypes: Readonly<Record<CellType, RegExp>> = {
  timestamp: /^DateTime64\(3, 'UTC'\)$/,
  integer: /^Int64$/,
  boolean: /^Bool$/,
  text: /^(LowCardinality\()?(Nullable\()?String\)*$/,
  key: /^Nullable\(UInt64\)$/,
};

describe('the guide to a warehouse', () => {
  it('creates a table in ClickHouse with the columns of the files, in their order', () => {
    const [, table = ''] = /CREATE TABLE visits \(\n(.*?)\n\) ENGINE/s.exec(guide) ?? [];
    const lines = table.split(',\n').map((line) => line.trim());
    // The load adds the name of the file.
    expect(lines.splice(names.length)).toEqual([
      'file LowCardinality(String)',
      'INDEX file_range file TYPE minmax',
    ]);
    expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(names);
    for (const { name, type } of columns) {
      const line = lines.find((each) => each.startsWith(`${name} `)) ?? '';
      expect(line.slice(name.length + 1), name).toMatch(clickHouseTypes[type]);
    }
  });

  it('describes each column', () => {
    const [, section = ''] = /\n### Columns\n(.*?)\n## /s.exec(guide) ?? [];
    const described = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', ').map((name) => name.replaceAll('`', '')),
    );
    expect(described).toEqual(names);
  });
});
