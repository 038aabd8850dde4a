import { type InferResult, type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { LinkOwner } from '../contract/caller.js';
import type { Page } from '../contract/fields.js';
import { columnsOf, fieldsOf, presentAs, withIsoTimes } from '../contract/present.js';
import type { EventOutbox } from '../events/event-outbox.js';
import {
  findStoredResult,
  Refusal,
  type WriteContext,
  type WriteRequest,
  writeOnce,
} from '../idempotency/with-idempotency-key.js';
import { type PlanTable, planExceeded } from '../organizations/plans.js';
import { countUseWithinPlan } from '../organizations/usage-meters.js';
import { checkIfMatch, nextUpdatedAt } from '../preconditions/if-match.js';
import type { Database, WriteTransaction } from '../storage/database.js';
import { isOfLinkWithin } from '../storage/link-restriction.js';
import { allOf, type ListQuery, readList } from '../storage/list-page.js';
import type { Schema } from '../storage/schema.js';
import { updateWhere } from '../storage/statements.js';
import type { QrDesign, QrFormat, QrLogo } from './drawing/qr-design.js';
import { type QrFilter, qrCreated, qrDeleted, qrRecord } from './qr-contract.js';

/** The code was changed or deleted after it was read. */
export class StaleQrError extends Error {
  override readonly name = 'StaleQrError';
}

export type QrRepository = ReturnType<typeof createQrRepository>;

/** The public part of a code. A deleted code has no image. */
export type PublicQr = NonNullable<Awaited<ReturnType<QrRepository['findPublic']>>>;

/** Stores QR codes and their images. Every method is one transaction. */
export function createQrRepository(database: Database, outbox: EventOutbox, plans: PlanTable) {
  const selectQr = (owner: LinkOwner, id: string, db: Kysely<Schema> = database.read) =>
    selectQrs(db)
      .where('qr_codes.id', '=', id)
      .where('organization_id', '=', owner.organizationId)
      .where(isOfLinkWithin(owner.restriction));

  async function record(
    transaction: WriteTransaction,
    event: typeof qrCreated | typeof qrDeleted,
    qr: QrCode,
    now: number,
  ): Promise<void> {
    const { organizationId } = qr;
    const subject = await transaction
      .selectFrom('urls')
      .select(['id as urlId', 'domain_id as domainId', 'tags'])
      // No link has the id 0.
      .where('id', '=', qr.urlId ?? 0)
      .executeTakeFirst();
    outbox.record(transaction, event, { organizationId, now, data: toQrRecord(qr), subject });
  }

  return {
    /** Returns the stored result of an earlier `create` or `replace` with this idempotency key. */
    findFirstResult: (request: WriteRequest | undefined) =>
      findStoredResult<QrCode>(database, request),

    /** Stores a code, its image, its meter and its event, or none of them. */
    create({ qr, logo, image }: RenderedQr, write: WriteRequest | undefined) {
      const { id, organizationId, createdAt: now } = qr;
      const options = { organizationId, write, audit: { type: 'qr', id } } as const;
      return writeOnce<QrCode>(database, options, async (transaction) => {
        const meter = 'qr_generated';
        const quota = await countUseWithinPlan(transaction, plans, organizationId, meter, now);
        if (quota) {
          const nextStep = 'Wait for the next month, or change the plan';
          throw new Refusal(planExceeded(quota, 'QR codes each month', nextStep));
        }
        await transaction.insertInto('qr_codes').values(toQrRow(qr)).execute();
        const picture = { qr_id: id, ...toPictureColumns(image, logo) };
        await transaction.insertInto('qr_pictures').values(picture).execute();
        const counts = { qr_id: id, scans: 0, downloads: 0 };
        await transaction.insertInto('qr_counts').values(counts).execute();
        await record(transaction, qrCreated, qr, now);
        return qr;
      });
    },

    async find(owner: LinkOwner, id: string): Promise<QrCode | undefined> {
      const row = await selectQr(owner, id).executeTakeFirst();
      return row && fromRow(row);
    },

    async findWithLogo(owner: LinkOwner, id: string) {
      const row = await selectQr(owner, id)
        .innerJoin('qr_pictures', 'qr_pictures.qr_id', 'qr_codes.id')
        .select(['logo as png', 'logo_width as width', 'logo_height as height'])
        .executeTakeFirst();
      if (!row) return undefined;
      const { png, width, height, ...qr } = row;
      return { ...fromRow(qr), logo: png && width && height ? { png, width, height } : null };
    },

    /** Stores a changed code. Throws a StaleQrError when another change than `updatedAt`, or a delete, came first. */
    replace({ qr, logo, image }: RenderedQr, updatedAt: number, write: WriteRequest | undefined) {
      const { organizationId } = qr;
      const options = { organizationId, write, audit: { type: 'qr', id: qr.id } } as const;
      return writeOnce<QrCode>(database, options, async (transaction) => {
        const { id, ...columns } = toQrRow(qr);
        // A delete changes `updated_at`, too.
        const unchanged = { id, updated_at: updatedAt };
        if (!(await updateWhere(transaction, 'qr_codes', unchanged, columns))) {
          throw new StaleQrError();
        }
        await transaction
          .updateTable('qr_pictures')
          .set(toPictureColumns(image, logo))
          .where('qr_id', '=', id)
          .execute();
        return qr;
      });
    },

    /**
     * Marks a code as deleted and deletes its image. Its row remains for its scans. Returns the code,
     * or null when there is none.
     */
    delete(id: string, context: WriteContext) {
      const { organizationId, now, write, ifMatch } = context;
      const options = { organizationId, write, audit: { type: 'qr', id } } as const;
      return writeOnce<QrCode | null>(database, options, async (transaction) => {
        const row = await selectQr(context, id, transaction).executeTakeFirst();
        if (!row) return null;
        checkIfMatch(ifMatch, row.updated_at);
        const qr = { ...fromRow(row), updatedAt: nextUpdatedAt(row.updated_at, now) };
        const deletion = { deleted_at: now, updated_at: qr.updatedAt };
        await updateWhere(transaction, 'qr_codes', { id }, deletion);
        await transaction.deleteFrom('qr_pictures').where('qr_id', '=', id).execute();
        await record(transaction, qrDeleted, qr, now);
        return qr;
      });
    },

    /** Finds a code of any organization, deleted codes included. */
    findPublic: (id: string) =>
      database.read
        .selectFrom('qr_codes')
        .innerJoin('organizations', 'organizations.id', 'qr_codes.organization_id')
        .leftJoin('qr_pictures', 'qr_pictures.qr_id', 'qr_codes.id')
        .leftJoin('urls', 'urls.id', 'qr_codes.url_id')
        .select(['qr_codes.id', 'qr_data as qrData', 'format', 'size', 'picture as image'])
        .select('qr_codes.updated_at as updatedAt')
        .select(['qr_codes.organization_id as organizationId', 'suspended_at as suspendedAt'])
        // The custom slug or short code of its URL; null for a standalone code.
        .select(({ fn }) => fn.coalesce('custom_slug', 'short_code').as('linkKey'))
        .$narrowType<{ format: QrFormat }>()
        .where('qr_codes.id', '=', id)
        .executeTakeFirst(),
  };
}

export function listQrs(
  database: Database,
  organizationId: string,
  { urlId, standalone, restriction, ...range }: QrFilter,
): Promise<Page<QrCode>> {
  const isLive = sql<SqlBool>`qr_codes.deleted_at is null`;
  const condition = allOf(
    isOfLinkWithin(restriction),
    standalone !== undefined && sql`qr_codes.url_id is ${standalone ? sql`null` : sql`not null`}`,
  );
  const list: Pick<ListQuery, 'owner' | 'indexed' | 'condition'> =
    urlId === undefined
      ? {
          owner: { column: 'organization_id', value: organizationId },
          indexed: isLive,
          condition,
        }
      : {
          owner: { column: 'url_id', value: urlId },
          condition: allOf(sql`organization_id = ${organizationId}`, isLive, condition),
        };
  const query: ListQuery = { table: 'qr_codes', ...list, ...range };
  return readList<string, QrCode>(database, query, async (ids) => {
    const rows = await selectQrs(database.read).where('qr_codes.id', 'in', ids).execute();
    return rows.map(fromRow);
  });
}

function toPictureColumns(image: Uint8Array, logo: QrLogo | null) {
  return {
    picture: image,
    logo: logo?.png ?? null,
    logo_width: logo?.width ?? null,
    logo_height: logo?.height ?? null,
  };
}

/** A QR code. Instants are milliseconds since 1970. */
export type QrCode = Readonly<ReturnType<typeof fromRow>>;

export type QrRecord = z.input<typeof qrRecord>;

export interface RenderedQr {
  readonly qr: QrCode;
  readonly logo: QrLogo | null;
  readonly image: Uint8Array;
}

/** Selects codes that are not deleted, for `fromRow`. */
export function selectQrs(db: Kysely<Schema>) {
  return db
    .selectFrom('qr_codes')
    .innerJoin('qr_counts', 'qr_counts.qr_id', 'qr_codes.id')
    .selectAll('qr_codes')
    .select(['downloads as download_count', 'scans as scan_count'])
    .$narrowType<{
      format: QrDesign['format'];
      error_correction: QrDesign['errorCorrection'];
      background: QrDesign['background'];
      style_preset: QrDesign['stylePreset'];
    }>()
    .where('deleted_at', 'is', null);
}

export function fromRow(row: InferResult<ReturnType<typeof selectQrs>>[number]) {
  const { deletedAt: _, ...qr } = fieldsOf(row);
  return qr;
}

export function toQrRow({ downloadCount, scanCount, ...qr }: QrCode) {
  return columnsOf<Selectable<Schema['qr_codes']>>({ ...qr, deletedAt: null });
}

export function toQrRecord(qr: QrCode): QrRecord {
  return presentAs(qrRecord, {
    ...withIsoTimes(qr),
    urlId: qr.urlId === null ? null : String(qr.urlId),
    downloadUrl: `/api/qr/${qr.id}/download`,
    previewUrl: `/qr/${qr.id}`,
  });
}
