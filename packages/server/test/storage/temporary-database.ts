import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { v7 as newUuid } from 'uuid';
import { onTestFinished } from 'vitest';
import { clientOf } from '../../src/auth/client-repository.js';
import { hostnameReader } from '../../src/domains/domain-repository.js';
import { ownHostTest } from '../../src/domains/hostname.js';
import { createEventOutbox } from '../../src/events/event-outbox.js';
import {
  type IdempotentRequest,
  type WriteRequest,
  writeOnce,
} from '../../src/idempotency/with-idempotency-key.js';
import { createOrganizationRepository } from '../../src/organizations/organization-repository.js';
import { type PlanName, standardPlans } from '../../src/organizations/plans.js';
import type { Database } from '../../src/storage/database.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { encryptorOf, unlockSecrets } from '../../src/storage/secrets.js';
import { requireWritten } from '../../src/urls/link-outcomes.js';
import { toRecord } from '../../src/urls/present-url.js';
import type { ShortUrl } from '../../src/urls/short-url.js';
import { updateUrls } from '../../src/urls/update-urls.js';
import type { UrlCreateRequest } from '../../src/urls/url-contract.js';
import { urlRecorder } from '../../src/urls/url-events.js';
import { createUrlReader } from '../../src/urls/url-reader.js';
import { createUrlWriter } from '../../src/urls/url-writer.js';
import { encryptSecrets } from '../../src/webhooks/secrets.js';
import { emptyDatabase } from '../engine.js';

export const now = Date.UTC(2030, 0, 1);

export type TemporaryFile = ReturnType<typeof temporaryFile>;

export function temporaryFile() {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-test-'));
  const path = join(folder, 'shorty.db');
  const handles: SqliteHandle.Database[] = [];
  return {
    path,
    /** Opens another handle, which to SQLite is like another process. */
    other() {
      const handle = new SqliteHandle(path);
      handles.push(handle);
      return handle;
    },
    remove() {
      for (const handle of handles) handle.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Returns a file that is removed after the test. */
export function fileForTest() {
  const file = temporaryFile();
  onTestFinished(() => file.remove());
  return file;
}

export type Stored = Awaited<ReturnType<typeof openRepository>>;

/** Opens the reader and the writer of links, and functions that write without an idempotency key. */
export function openLinks(
  database: Database,
  newId: () => string,
  newShortCode: (extraLength?: number) => string,
) {
  const options = {
    database,
    findByHostname: hostnameReader(database.read),
    plans: standardPlans,
    isOwnHost: ownHostTest(['sho.example'], []),
    ignoreCase: false,
    newShortCode,
    record: urlRecorder(createEventOutbox(database, { newId }), (url, at) =>
      toRecord({ scheme: 'https://', shortDomain: 'sho.example' }, url, at),
    ),
    passwords: { hashAll: async () => [] },
    isReserved: () => false,
    clock: () => now,
    fetchTitle: () => {},
    findTargetErrors: async () => [],
    onChanged: () => {},
  };
  const writer = createUrlWriter(options);
  return {
    options,
    urls: createUrlReader(database, options),
    writer,
    async changeLinks(
      organizationId: string,
      ids: readonly number[],
      at: number,
      change: (url: ShortUrl) => ShortUrl,
    ) {
      const context = { organizationId, now: at, write: undefined };
      const isBulk = ids.length > 1;
      const changes = ids.map((id) => ({ id, change }));
      const written = await writeOnce(
        database,
        { ...context, audit: () => null, isBulk },
        (transaction) => updateUrls(transaction, options, changes, context, new Set()),
      );
      return written.result;
    },
    async deleteLinks(organizationId: string, ids: readonly number[], at: number) {
      await writer.delete(ids, () => null, { organizationId, now: at, write: undefined });
    },
  };
}

/** Opens the link repository on an empty, migrated database of the engine under test. */
export async function openRepository() {
  const { databaseUrl, remove } = await emptyDatabase();
  const database = openStorage({ databaseUrl, durability: 'process' });
  await database.migrate();
  await unlockSecrets(database, { databaseUrl });
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id-${ids}`;
  };
  const codes: string[] = [];
  const links = openLinks(
    database,
    newId,
    () => codes.shift() ?? `C${newId().slice(3).padStart(6, '0')}`,
  );
  return {
    database,
    databaseUrl,
    ...links,
    async addOrganization(plan: PlanName): Promise<string> {
      const id = newId();
      const client = clientOf(id, { clientId: newId(), clientSecret: 'secret' });
      await createOrganizationRepository(database).create(
        { id, name: plan, plan, createdAt: now },
        client,
      );
      return id;
    },
    async subscribe(organizationId: string, events: readonly string[]): Promise<string> {
      const id = newId();
      await database.writeDirectly(async (transaction) => {
        const encrypt = await encryptorOf(database, transaction);
        await transaction
          .insertInto('webhooks')
          .values({
            id,
            organization_id: organizationId,
            url: 'https://receiver.example/',
            events: JSON.stringify(events),
            secret: encryptSecrets(encrypt, id, { current: 'secret' }),
            is_active: 1,
            created_at: now,
            updated_at: now,
          })
          .execute();
      });
      return id;
    },

    /** Creates links with the given short codes, and with generated ones after these. */
    async create(
      organizationId: string,
      drafts: readonly DraftFields[],
      wanted: readonly string[] = [],
    ): Promise<readonly ShortUrl[]> {
      codes.push(...wanted);
      const items = drafts.map((draft) => ({ body: bodyOf(draft) }));
      const context = { organizationId, now, write: undefined };
      const { result } = await links.writer.create(items, (url) => url, context);
      return result.map((outcome) => requireWritten([outcome], false).presented);
    },
    async close() {
      await database.close();
      await remove();
    },
  };
}

/** Returns a request of the operator with an idempotency key. */
export function requestWith(idempotency: IdempotentRequest): WriteRequest {
  return {
    idempotency,
    origin: {
      // Tests repeat the same request.
      get entryId() {
        return newUuid();
      },
      actorType: 'operator',
      actorId: null,
      address: null,
      operation: 'test',
      fields: [],
      clock: () => now,
    },
  };
}

export interface DraftFields extends Partial<Omit<UrlCreateRequest, 'expiresAt'>> {
  readonly expiresAt?: number | null;
}

export function bodyOf({ expiresAt = null, ...fields }: DraftFields = {}): UrlCreateRequest {
  return {
    targetUrl: 'https://example.com/',
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    ...fields,
  };
}
