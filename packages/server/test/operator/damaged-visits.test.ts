import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { damageVisits, withVisits } from './damaged-database.js';
import { command } from './server-process.js';

beforeAll(build, 120_000);

const pathOf = (settings: Record<string, string>) =>
  String(settings.SHORTY_DATABASE_URL).slice('file:'.length);

it.each([
  ['header', 0],
  ['times', 16],
  ['dictionary', 200],
])(
  'doctor names a chunk with a damaged %s by link and range, and backup is not called checked',
  async (_, from) => {
    const settings = await withVisits(true);
    expect((await command(settings, 'doctor', '--check')).code).toBe(0);
    damageVisits(settings, 'visit_chunks', 'url_id = 2', from);
    const { code, stdout, stderr } = await command(settings, 'doctor');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain(
      'Link 2: 3 visits from 2030-01-01T00:00:00.000Z to 2030-01-01T02:00:00.000Z (chunk 0) cannot be read.',
    );
    // The counter of the link is not changed to what can be read.
    expect(stdout).not.toMatch(/Link \d: its counter|Repaired|agree/);

    const file = join(dirname(pathOf(settings)), 'copy.backup');
    const backup = await command(settings, 'backup', file);
    expect(backup.code).toBe(1);
    expect(backup.stdout).toContain('bytes, with damaged visits.\n');
    expect(backup.stdout).not.toContain('checked');
    expect(backup.stderr).toContain('shorty-server doctor --check');
  },
);

it.each([
  [true, 'visit_chunks', 'chunk-2-0', 'Link 2: 3 visits from 2030-01-01T00:00:00.000Z to'],
  [false, 'visit_batches', 'batch-1', 'Batch 1: its 6 visits of any links'],
] as const)(
  'doctor --discard deletes a damaged row and says what is lost (compacted: %s)',
  async (isCompacted, table, row, lost) => {
    const settings = await withVisits(isCompacted);
    const intact = await command(settings, 'doctor', '--discard', row);
    expect(intact.code).not.toBe(0);
    expect(intact.stderr).toContain(`--discard ${row}: no unreadable row has this name`);
    damageVisits(settings, table, isCompacted ? 'url_id = 2' : 'true', 0);
    expect((await command(settings, 'doctor', '--check')).stdout).toContain(`--discard ${row}`);
    const discarded = await command(settings, 'doctor', '--discard', row);
    expect(discarded).toMatchObject({ code: 0, stderr: '' });
    expect(discarded.stdout).toContain(`Deleted ${row}. Lost: ${lost}`);
    expect((await command(settings, 'doctor')).stdout).toContain('Repaired');
    expect((await command(settings, 'doctor', '--check')).code).toBe(0);
  },
);

it('doctor names a damaged batch', async () => {
  const settings = await withVisits(false);
  damageVisits(settings, 'visit_batches', 'true', 0);
  const { code, stdout } = await command(settings, 'doctor', '--check');
  expect(code).toBe(1);
  expect(stdout).toContain(
    'Batch 1: its 6 visits of any links, stored at 2030-01-01T00:00:00.000Z,',
  );
  expect(stdout).not.toContain('its counter is');
});
