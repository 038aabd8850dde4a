import type { Database } from '../storage/database.js';

export interface WrongLinkCounter {
  readonly organizationId: string;
  /** The organization's counter. */
  readonly counted: number;
  /** The number of active links that are stored. */
  readonly active: number;
}

/** Returns the counters of active links that differ from the number of stored links. */
export async function findWrongLinkCounters(
  database: Database,
): Promise<readonly WrongLinkCounter[]> {
  const rows = await database.read
    .selectFrom('organizations')
    .leftJoin('urls', (join) =>
      join.onRef('urls.organization_id', '=', 'organizations.id').on('urls.is_active', '=', 1),
    )
    .select(({ fn }) => [
      'organizations.id',
      'organizations.active_urls',
      fn.count<number>('urls.id').as('active'),
    ])
    .groupBy(['organizations.id', 'organizations.active_urls'])
    .orderBy('organizations.id')
    .execute();
  return rows
    .map(({ id, active_urls, active }) => ({
      organizationId: id,
      counted: active_urls,
      active: Number(active),
    }))
    .filter(({ counted, active }) => counted !== active);
}

/** Corrects counters by their difference, so changes since the diagnosis are not lost. */
export async function repairLinkCounters(
  database: Database,
  wrong: readonly WrongLinkCounter[],
): Promise<void> {
  await database.writeDirectly(async (transaction) => {
    for (const { organizationId, counted, active } of wrong) {
      await transaction
        .updateTable('organizations')
        .set(({ eb }) => ({ active_urls: eb('active_urls', '+', active - counted) }))
        .where('id', '=', organizationId)
        .execute();
    }
  }, 'exclusive');
}
