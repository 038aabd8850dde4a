import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { damageVisits, withVisits } from './damaged-database.js';
import { command } from './server-process.js';

beforeAll(build, 120_000);

const pathOf = (settings: Record<string, string>) =>
  String(settings.SHORTY_DATABASE_URL).slice('file:'.length);

const lost =
  /Organization \S+: 6 visits of links 1 to 2, from 2030-01-01T00:00:00\.000Z to 2030-01-01T02:00:00\.000Z,/;

it.each([
  ['header', 0],
  ['times', 80],
  ['dictionary', 300],
])(
  'doctor names a row with a damaged %s by its links and times, and backup is not called checked',
  async (_, from) => {
    const settings = await withVisits();
    expect((await command(settings, 'doctor', '--check')).code).toBe(0);
    damageVisits(settings, from);
    const { code, stdout, stderr } = await command(settings, 'doctor');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(new RegExp(`${lost.source} cannot be read\\.`));
    // The counters of the links are not changed to what can be read.
    expect(stdout).not.toMatch(/Link \d: its counter|Repaired|agree/);

    const file = join(dirname(pathOf(settings)), 'copy.backup');
    const backup = await command(settings, 'backup', file);
    expect(backup.code).toBe(1);
    expect(backup.stdout).toContain('bytes, with damaged visits.\n');
    expect(backup.stdout).not.toContain('checked');
    expect(backup.stderr).toContain('shorty-server doctor --check');
  },
);

it('doctor --discard deletes a damaged row and says what is lost', async () => {
  const settings = await withVisits();
  const intact = await command(settings, 'doctor', '--discard', '1');
  expect(intact.code).not.toBe(0);
  expect(intact.stderr).toContain('--discard 1: no unreadable row has this name');
  damageVisits(settings, 0);
  expect((await command(settings, 'doctor', '--check')).stdout).toContain('--discard 1');
  const discarded = await command(settings, 'doctor', '--discard', '1');
  expect(discarded).toMatchObject({ code: 0, stderr: '' });
  expect(discarded.stdout).toMatch(new RegExp(`^Deleted row 1\\. Lost: ${lost.source}`));
  expect((await command(settings, 'doctor')).stdout).toContain('Repaired');
  expect((await command(settings, 'doctor', '--check')).code).toBe(0);
});
