import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findIntegrityErrors } from '../../src/storage/sqlite/copy-sqlite.js';
import { scratchFolder } from '../scratch-folder.js';
import { damageVisits, withVisits } from './damaged-database.js';
import { command, newDatabase, serve } from './server-process.js';

const daily = { SHORTY_BACKUP_SCHEDULE: '0 3 * * *', SHORTY_BACKUP_KEEP: '1' };

describe('scheduled backups', () => {
  it('are made up for at the start', async () => {
    const settings = await newDatabase();
    const folder = join(scratchFolder(), 'new');
    mkdirSync(folder);
    // The operator has moved its backup elsewhere.
    const movedKey = 'shorty-20190102T000000Z.db.key';
    writeFileSync(join(folder, movedKey), 'the key of a moved backup');
    writeFileSync(join(folder, 'shorty-20200101T000000Z.db'), 'an old backup');
    const server = await serve({ ...settings, ...daily, SHORTY_BACKUP_FOLDER: folder });
    await server.until(/"msg":"old backup deleted"/);
    const names = readdirSync(folder).filter((name) => !/^shorty-20(19|20)/.test(name));
    expect(names).toEqual([
      expect.stringMatching(/^shorty-\d{8}T\d{6}Z\.db$/),
      expect.stringMatching(/\.db\.key$/),
    ]);
    expect(readdirSync(folder).sort()).toEqual([movedKey, ...names]);
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    expect(metrics).toMatch(/^shorty_backup_interval_seconds 86400$/m);
    expect(metrics).toMatch(/^shorty_backup_failures_total 0$/m);
    const [, at] = /^shorty_backup_last_success_timestamp_seconds (\d+)$/m.exec(metrics) ?? [];
    expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(600);

    const restored = { SHORTY_DATABASE_URL: `file:${join(dirname(folder), 'restored.db')}` };
    const file = join(folder, names[0] ?? '');
    expect(findIntegrityErrors(file)).toEqual([]);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(await command(restored, 'restore', file)).toMatchObject({ code: 0 });
    expect(await command(restored, 'doctor', '--check')).toMatchObject({ code: 0 });
    expect(readFileSync(`${file}.key`, 'utf8')).toMatch(/\S{16}/);
  }, 60_000);

  it('with damaged visits have another name, and replace no other backup', async () => {
    const settings = { ...(await withVisits()), SHORTY_SECRET_KEY: 'stored-somewhere-else' };
    damageVisits(settings, 16);
    const folder = scratchFolder();
    writeFileSync(join(folder, 'shorty-20200101T000000Z.db'), 'an old backup');
    const server = await serve({ ...settings, ...daily, SHORTY_BACKUP_FOLDER: folder });
    await server.until(/1 part of the visits cannot be read.*"msg":"backup failed"/);
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    expect(metrics).toMatch(/^shorty_backup_failures_total 1$/m);
    expect(readdirSync(folder).filter((name) => !name.endsWith('.key'))).toEqual([
      'shorty-20200101T000000Z.db',
      expect.stringMatching(/^shorty-\d{8}T\d{6}Z\.damaged\.db$/),
    ]);
  }, 60_000);
});
