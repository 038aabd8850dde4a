import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { connect } from './lib/api.js';
import { freePort, root, scratchFolder, shorty, startServer } from './lib/processes.js';

const example = join(root, 'examples/links.csv');
const lines = readFileSync(example, 'utf8').trimEnd().split('\n');
const header = lines[0] as string;

// The list marks its intentionally invalid rows in the category or the title.
const isBroken = (line: string) =>
  line.includes(',broken,') || line.endsWith('Too few cells') || line.includes('Too many cells');
const broken = lines.slice(1).filter(isBroken);
const sound = lines.slice(1).filter((line) => !isBroken(line));

test('the example list imports with exact counts, failed rows in a file, and working links', async () => {
  expect(sound.length).toBeGreaterThanOrEqual(1000);
  const folder = scratchFolder();
  const { origin } = await startServer({ port: await freePort(), folder });
  const args = [example, '--failed-out', 'bad.csv', '--out', 'created.csv'];
  const { code, stdout, stderr } = await shorty(['urls', 'bulk-create', ...args], folder, origin)
    .done;

  expect({ code, stderr }).toMatchObject({ code: 3 });
  expect(stdout.replaceAll(',', '')).toContain(`${lines.length - 1} rows`);
  expect(stdout.replaceAll(',', '')).toContain(`${sound.length} created`);
  expect(stdout).toContain(`${broken.length} failed`);
  const bad = readFileSync(join(folder, 'bad.csv'), 'utf8').trimEnd().split('\n');
  expect(bad[0]).toBe(`${header},error`);
  expect(bad.slice(1).map((row, index) => row.startsWith(`${broken[index]},`))).toEqual(
    broken.map(() => true),
  );
  for (const [index, line] of lines.entries()) {
    if (index > 0 && isBroken(line)) expect(stderr).toContain(`line ${index + 1}:`);
  }

  const rows = new Map(sound.map((line) => [lines.indexOf(line) + 1, readRow(line)] as const));
  const created: Record<string, string>[] = parse(readFileSync(join(folder, 'created.csv')), {
    columns: true,
  });
  expect(created.map(({ line }) => Number(line))).toEqual([...rows.keys()]);
  for (const { line, shortUrl, targetUrl } of created) {
    const row = rows.get(Number(line));
    expect(targetUrl).toBe(row?.url);
    const response = await fetch(shortUrl as string, { redirect: 'manual' });
    expect(response.status).toBe(Number(row?.redirect_type || 307));
    expect(response.headers.get('location')).toBe(expectedLocation(row));
  }
  let total = 0;
  for await (const { isActive } of connect(origin).urls.list()) if (isActive) total += 1;
  expect(total).toBe(sound.length);
});

function readRow(line: string): Record<string, string> {
  const [row] = parse(`${header}\n${line}`, { columns: true }) as Record<string, string>[];
  if (!row) throw new Error(`no row in ${line}`);
  return row;
}

/** Computes the expected `Location` of a row with `URL` only. */
function expectedLocation(row: Record<string, string> | undefined): string {
  const location = new URL(row?.url ?? '');
  const added = Object.entries(row ?? {}).filter(
    ([name, value]) => name.startsWith('utm_') && value !== '',
  );
  for (const [name, value] of added) location.searchParams.set(name, value);
  return location.href;
}
