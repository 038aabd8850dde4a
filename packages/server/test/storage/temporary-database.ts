import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteHandle from 'better-sqlite3';
import { v7 as newUuid } from 'uuid';
import { clientOf } from '../../src/auth/client-repository.js';
import { ownHostTest } from '../../src/domains/own-hosts.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import type {
  IdempotentRequest,
  WriteRequest,
} from '../../src/idempotency/with-idempotency-key.js';
import { OrganizationRepository } from '../../src/organizations/organization-repository.js';
import { type PlanName, standardPlans } from '../../src/organizations/plans.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { encryptorOf, unlockSecrets } from '../../src/storage/secrets.js';
import type { UrlChange, UrlDraft } from '../../src/urls/change-url.js';
import { toRecord } from '../../src/urls/present-url.js';
import type { ShortUrl } from '../../src/urls/short-url.js';
import type { UrlCreateRequest } from '../../src/urls/url-contract.js';
import { UrlRecorder } from '../../src/urls/url-recorder.js';
import { UrlRepository } from '../../src/urls/url-repository.js';
import type { CreateOutcome } from '../../src/urls/url-write.js';
import { encryptSecrets } from '../../src/webhooks/secrets.js';
import { emptyDatabase } from '../engine.js';

export const now = Date.UTC(2030, 0, 1);

export interface TemporaryFile {
  readonly path: string;
  /** Opens another handle, which to SQLite is like another process. */
  other(): SqliteHandle.Database;
  remove(): void;
}

export function temporaryFile(): TemporaryFile {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-test-'));
  const path = join(folder, 'shorty.db');
  const handles: SqliteHandle.Database[] = [];
  return {
    path,
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

export type Stored = Awaited<ReturnType<typeof openRepository>>;

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
  const urls = new UrlRepository(database, {
    plans: standardPlans,
    isOwnHost: ownHostTest(['sho.example']),
    ignoreCase: false,
    recorder: new UrlRecorder({
      outbox: new EventOutbox(database, { newId }),
      toEventData: (url, now) =>
        toRecord({ scheme: 'https://', shortDomain: 'sho.example' }, url, now),
    }),
  });
  return {
    database,
    urls,
    databaseUrl,
    async addOrganization(plan: PlanName): Promise<string> {
      const id = newId();
      const client = clientOf(id, { clientId: newId(), clientSecret: 'secret' });
      await new OrganizationRepository(database).create(
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
      codes: readonly string[] = [],
    ): Promise<readonly CreateOutcome[]> {
      const left = [...codes];
      const { result } = await urls.createMany(drafts.map(draftOf), {
        organizationId,
        now,
        newShortCode: () => left.shift() ?? `C${newId().slice(3).padStart(6, '0')}`,
        write: undefined,
      });
      return result.outcomes;
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

/** Changes links without an idempotency key. */
export async function updateUrls(
  urls: UrlRepository,
  organizationId: string,
  ids: readonly number[],
  now: number,
  change: (url: ShortUrl, index: number) => UrlChange,
) {
  const context = { organizationId, now, write: undefined };
  return (await urls.updateMany(ids, change, ({ id }) => id, context)).result;
}

/** Deletes links without an idempotency key, and returns the ids of those that exist. */
export async function deleteUrls(
  urls: UrlRepository,
  organizationId: string,
  ids: readonly number[],
  now: number,
) {
  const context = { organizationId, now, write: undefined };
  const idsOf = (found: readonly ShortUrl[]) => found.map(({ id }) => id);
  return (await urls.deleteMany(ids, idsOf, context)).result;
}

export interface DraftFields extends Partial<Omit<UrlCreateRequest, 'expiresAt'>> {
  readonly expiresAt?: number | null;
  readonly passwordHash?: string | null;
}

export function draftOf({
  expiresAt = null,
  passwordHash = null,
  ...fields
}: DraftFields = {}): UrlDraft {
  const body = {
    targetUrl: 'https://example.com/',
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    ...fields,
  };
  return { body, passwordHash };
}
