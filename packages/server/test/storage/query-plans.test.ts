import SqliteHandle from 'better-sqlite3';
import { type SqlBool, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deleteExpiredEntries } from '../../src/audit/audit-repository.js';
import { ClientRepository } from '../../src/auth/client-repository.js';
import { eraseLink } from '../../src/deletion/erase-link.js';
import { ownHostTest } from '../../src/domains/own-hosts.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { deleteExpiredKeys } from '../../src/idempotency/with-idempotency-key.js';
import { standardPlans } from '../../src/organizations/plans.js';
import { readMonthlyUsage } from '../../src/organizations/usage-handlers.js';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { newUrl } from '../../src/urls/change-url.js';
import { findEquivalent } from '../../src/urls/find-existing.js';
import { toRecord } from '../../src/urls/present-url.js';
import { toRow } from '../../src/urls/short-url.js';
import { UrlRecorder } from '../../src/urls/url-recorder.js';
import { UrlRepository } from '../../src/urls/url-repository.js';
import { pruneDeliveries } from '../../src/webhooks/delivery-pruner.js';
import {
  type DraftFields,
  deleteUrls,
  draftOf,
  now,
  requestWith,
  type TemporaryFile,
  temporaryFile,
  updateUrls,
} from './temporary-database.js';

// These calls run on the thread that serves redirects, so their time must not grow with the tables.
const linkCount = 20_000;
const organizationId = 'organization-1';
const other = 'organization-2';
const origins = { scheme: 'https://', shortDomain: 'sho.example' };

let file: TemporaryFile;
let database: Database;
let urls: UrlRepository;
const statements = new Set<string>();

beforeAll(async () => {
  file = temporaryFile();
  const databaseUrl = `file:${file.path}`;
  const migrator = openStorage({ databaseUrl, durability: 'process', ignoreCase: true });
  await migrator.migrate();
  await migrator.close();
  fill(file.other());
  const prepare = SqliteHandle.prototype.prepare;
  vi.spyOn(SqliteHandle.prototype, 'prepare').mockImplementation(function (
    this: SqliteHandle.Database,
    sql: string,
  ) {
    statements.add(sql);
    return prepare.call(this, sql);
  } as typeof prepare);
  database = openStorage({ databaseUrl, durability: 'process' });
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id-${ids}`;
  };
  const outbox = new EventOutbox(database, { newId });
  urls = new UrlRepository(database, {
    plans: standardPlans,
    isOwnHost: ownHostTest(['sho.example']),
    ignoreCase: false,
    recorder: new UrlRecorder({
      outbox,
      toEventData: (url, at) => toRecord(origins, url, at),
    }),
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await database.close();
  file.remove();
});

function fill(handle: SqliteHandle.Database): void {
  const organization = handle.prepare(
    "insert into organizations (id, name, plan, active_urls, created_at) values (?, 'name', ?, ?, 0)",
  );
  organization.run(organizationId, 'enterprise', linkCount);
  organization.run(other, 'free', 0);
  const domain = handle.prepare(
    `insert into domains (id, organization_id, hostname, is_active, created_at, verified_at, challenge)
     values (?, ?, ?, 1, 0, 0, 'challenge')`,
  );
  domain.run('domain-1', organizationId, 'go.example');
  domain.run('domain-2', organizationId, 'empty.example');
  handle.exec(`with recursive numbers (n) as
      (select 1 union all select n + 1 from numbers where n < ${linkCount})
    insert into urls (id, organization_id, domain_id, short_code, target_url, tags, redirect_type,
      custom_utm_params, is_active, created_at, updated_at, expires_at)
    select n, '${organizationId}', 'domain-1', 'code' || n, 'https://example.com/', '', 307, '{}', 1, n, n,
      ${now} + n from numbers`);
  handle.exec(`insert into url_keys (domain_key, key, url_id)
    select 'domain-1', short_code, id from urls union all select '', short_code, id from urls`);
  handle.exec('update url_id_counter set last_id = (select max(id) from urls)');
}

interface Step {
  readonly detail: string;
  readonly sql: string;
}

/** Runs a call and returns the steps of its statements' plans. */
async function explain(call: () => Promise<unknown>): Promise<Step[]> {
  statements.clear();
  await call();
  expect(statements.size).toBeGreaterThan(0);
  const handle = file.other();
  const steps: Step[] = [];
  for (const sql of statements) {
    if (!/^\s*(select|insert|update|delete|with)\b/i.test(sql)) continue;
    const parameters = Array.from(sql.matchAll(/\?/g), () => 1);
    const plan = handle
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...parameters);
    for (const { detail } of plan) steps.push({ detail, sql });
  }
  return steps;
}

/**
 * Runs a call and returns the steps of its statements that read a whole table or index, or all links or keys
 * of an organization or domain.
 */
async function findScans(call: () => Promise<unknown>): Promise<string[]> {
  return scansOf(await explain(call));
}

function scansOf(steps: readonly Step[]): string[] {
  return steps
    .filter(({ detail, sql }) => {
      // An insert scans referencing tables only while a foreign key is violated.
      if (sql.startsWith('insert into urls ') && detail === 'SCAN url_keys') return false;
      // `json_each` reads a parameter.
      return (
        /^SCAN (?!CONSTANT ROW|json_each |url_id_counter$)/.test(detail) ||
        /^SEARCH (urls|url_keys|audit_log|idempotency_keys|events) .*\((organization_id|domain_key)=\?\)/.test(
          detail,
        )
      );
    })
    .map(({ detail, sql }) => `${detail}: ${sql}`);
}

async function create(owner: string, drafts: readonly DraftFields[]) {
  let codes = 0;
  const { result } = await urls.createMany(drafts.map(draftOf), {
    organizationId: owner,
    now,
    newShortCode: () => {
      codes += 1;
      return `new${owner.at(-1)}${drafts.length}-${codes}`;
    },
    write: requestWith({
      organizationId: owner,
      key: `key-${drafts.length}`,
      fingerprint: '',
      now,
    }),
  });
  return result.outcomes.map(({ status }) => status);
}

describe('no call on the redirect thread scans a table', () => {
  it('when links are created or refused', async () => {
    let statuses: readonly string[] = [];
    const drafts = [
      { customSlug: 'free-slug', targetUrl: 'https://example.com/code1' },
      { customSlug: 'code7' },
      { domainId: 'no-domain' },
      { domainId: 'domain-1', customSlug: 'code7' },
      { domainId: 'domain-1', customSlug: 'free-slug' },
    ];
    const scans = await findScans(async () => {
      statuses = await create(organizationId, drafts);
    });
    expect(statuses).toEqual([
      'created',
      'slug-conflict',
      'domain-invalid',
      'slug-conflict',
      'created',
    ]);
    expect(scans).toEqual([]);
  });

  it('when links are changed, moved, deactivated, expired and read', async () => {
    const scans = await findScans(async () => {
      const change = (domainId: string | null, isActive: boolean) =>
        updateUrls(urls, organizationId, [5, 6], now, (url) => ({
          ok: true,
          url: { ...url, domainId, isActive, targetUrl: 'https://example.com/code1' },
        }));
      expect(await change('domain-2', true)).toMatchObject([
        { status: 'updated' },
        { status: 'updated' },
      ]);
      await change('domain-1', false);
      await change(null, true);
      await deleteUrls(urls, organizationId, [7, 8], now);
      expect((await urls.expireDue(now + 50, 10)).length).toBe(10);
      await urls.get({ organizationId }, 100);
      await urls.findByKey('domain-1', 'code100', false);
      for (const hostname of [undefined, 'go.example', 'sho.example', 'unknown.example']) {
        const found = await urls.findByName({ organizationId }, { hostname, key: 'code100' });
        expect(found).toHaveLength(hostname === 'unknown.example' ? 0 : 1);
      }
    });
    expect(scans).toEqual([]);
  });

  it('when an equal link is looked for', async () => {
    const identity = { id: 0, organizationId, shortCode: 'code', hostname: null };
    const url = newUrl(draftOf({ utmSource: 'mail' }), identity, now);
    const wanted = { url, row: toRow(url), importedCode: null };
    const steps = await explain(() =>
      database.writeDirectly((transaction) => findEquivalent(transaction, wanted, undefined)),
    );
    expect(steps.map(({ detail }) => detail).join('\n')).toContain('INDEX urls_by_settings');
    expect(scansOf(steps)).toEqual([]);
  });

  it('when links are found in another case', async () => {
    const steps = await explain(async () => {
      await urls.findByKey('domain-1', 'CODE200', true);
      await urls.hasKeysBelow('domain-1', 'CODE200', true);
    });
    const searches = steps.map(({ detail }) => detail).filter((each) => /url_keys/.test(each));
    expect(searches).toHaveLength(2);
    for (const search of searches) expect(search).toContain('INDEX url_keys_folded (domain_key=?');
  });

  it.each([
    ['urls', {}],
    ['qr_codes', { indexed: sql<SqlBool>`deleted_at is null` }],
    ['domains', { indexed: sql<SqlBool>`deleted_at is null` }],
    ['webhooks', { indexed: sql<SqlBool>`deleted_at is null` }],
    ['deliveries', { owner: { column: 'webhook_id', value: 'webhook-1' } }],
  ] as const)('when the list of %s continues after a position', async (table, rest) => {
    const fresh = openStorage({ databaseUrl: `file:${file.path}`, durability: 'process' });
    onTestFinished(() => fresh.close());
    const owner = { column: 'organization_id', value: organizationId };
    const range = { limit: 25, offset: 0, after: [5, 5] as const };
    const steps = await explain(() => fresh.readListPage({ table, owner, ...rest, ...range }));
    // The rows of the position's millisecond, and those of earlier ones, without sorting either.
    const [, , ...parts] = steps.map(({ detail }) => detail).filter((each) => each !== 'RIGHT');
    expect(parts).toEqual([
      expect.stringMatching(new RegExp(`^SEARCH ${table} .* AND created_at=\\? AND id<\\?\\)$`)),
      expect.stringMatching(new RegExp(`^SEARCH ${table} .* AND created_at<\\?\\)$`)),
    ]);
  });

  it('when usage is read, and expired rows are deleted', async () => {
    const { signal } = new AbortController();
    const scans = await findScans(async () => {
      await new ClientRepository(database).deleteExpiredTokens(now, signal);
      await deleteExpiredKeys(database, now, signal);
      await deleteExpiredEntries(database, 365, now, signal);
      await readMonthlyUsage(database, organizationId, '2030-01');
    });
    expect(scans).toEqual([]);
  });

  it('when old deliveries and events are deleted, webhook by webhook', async () => {
    const steps = await explain(() => pruneDeliveries(database, now));
    // Webhooks are few. Those of them that match find their deliveries by an index.
    const small = /^SCAN webhooks\b/;
    expect(scansOf(steps).filter((each) => !small.test(each))).toEqual([]);
    const plan = steps.map(({ detail }) => detail).join('\n');
    expect(plan).toContain('deliveries_due (webhook_id=? AND due_at>?)');
    expect(plan).toContain('deliveries_finished (webhook_id=? AND status=? AND created_at<?)');
    expect(plan).toContain('deliveries_by_type (webhook_id=? AND event_type=? AND created_at<?)');
  });

  it('when the rows of an erased link are deleted', async () => {
    const [urlId, retired] = [400, 1];
    file.other().exec(`insert into retired_keys (key_hash, organization_id, url_id)
      values (${retired}, '${organizationId}', ${urlId})`);
    const scans = await findScans(() => eraseLink(database, { urlId, organizationId }));
    // It has one row.
    const small = /^SCAN link_policy\b/;
    expect(scans.filter((each) => !small.test(each))).toEqual([]);
  });
});
