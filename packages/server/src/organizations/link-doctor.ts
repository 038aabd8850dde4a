import type { Database } from '../storage/database.js';

export interface LinkFault {
  readonly organizationId: string;
  /** What the organization's counter says. */
  readonly counted: number;
  /** The active links that there are. */
  readonly active: number;
}

/** Compares what plans' bundles are held against with the links. */
export async function diagnoseLinks(database: Database): Promise<readonly LinkFault[]> {
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

/** Sets counters right. What is counted meanwhile stays: they are changed by the difference. */
export async function mendLinkCounters(
  database: Database,
  faults: readonly LinkFault[],
): Promise<void> {
  await database.write(async (transaction) => {
    for (const { organizationId, counted, active } of faults) {
      await transaction
        .updateTable('organizations')
        .set(({ eb }) => ({ active_urls: eb('active_urls', '+', active - counted) }))
        .where('id', '=', organizationId)
        .execute();
    }
  }, 'everything');
}
