import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SqliteHandle from 'better-sqlite3';
import { expect, it } from 'vitest';
import {
  call,
  expectNoErrorsOfDoctor,
  newDatabase,
  newSettings,
  pathOf,
  type Settings,
  serveWithToken,
  succeed,
} from './server-process.js';

// record-database.mjs has written them.
const recorded = readdirSync(new URL('.', import.meta.url)).filter((name) =>
  name.endsWith('.db.gz'),
);

function schemaOf(settings: Settings): unknown[] {
  const handle = new SqliteHandle(pathOf(settings), { readonly: true });
  const rows = handle
    .prepare(
      "select type, name, sql from sqlite_master where name not like 'sqlite_%' order by name",
    )
    .all();
  handle.close();
  return rows;
}

it.each(recorded)('upgrades a database of %s to the tables of a new one', async (name) => {
  const settings = newSettings();
  settings.SHORTY_SECRET_KEY = 'a secret key of the recorded database';
  mkdirSync(dirname(pathOf(settings)));
  const stored = readFileSync(new URL(name, import.meta.url));
  writeFileSync(pathOf(settings), gunzipSync(stored));
  await succeed(settings, 'migrate');
  expect(schemaOf(settings)).toEqual(schemaOf(await newDatabase()));
  await expectNoErrorsOfDoctor(settings);

  const { origin, token } = await serveWithToken(settings);
  const read = async (path: string) => (await call(origin, token, path)).data;
  expect(await read('/urls/slug?slug=recorded')).toMatchObject({ isAvailable: false });
  expect(await read('/urls/2')).toMatchObject({ customSlug: 'locked', isPasswordProtected: true });
  const link = { customSlug: 'recorded', tags: ['recorded'], clickCount: 1 };
  expect(await read('/urls/1')).toMatchObject({ ...link, rules: [{ when: { country: ['DE'] } }] });
  const report = await read('/urls/1/clicks?since=2026-01-01T00:00:00Z');
  expect(report).toMatchObject({ totals: { totalClicks: 1, uniqueClicks: 1 } });
  const { status, headers } = await fetch(`${origin}/recorded`, { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([307, 'https://example.com/recorded']);
  const [webhook] = (await read('/webhooks')).items as Record<string, unknown>[];
  const rotated = await call(origin, token, `/webhooks/${webhook?.id}/rotate-secret`, {});
  expect(rotated).toMatchObject({ status: 200, data: { secret: expect.any(String) } });
  for (const list of ['/qr', '/domains', '/api-keys', '/people']) {
    expect({ list, items: (await read(list)).items }).toMatchObject({
      items: expect.arrayContaining([expect.anything()]),
    });
  }
});
