import { sql } from 'kysely';
import type { Database } from '../storage/database.js';

interface WrongCounter {
  readonly id: string;
  readonly counted: number;
  readonly actual: number;
}

export async function findWrongLinkCounters({ read }: Database): Promise<readonly WrongCounter[]> {
  const { rows } = await sql<WrongCounter>`
    select organizations.id, active_urls as counted, count(urls.id) as actual
    from organizations
    left join urls on urls.organization_id = organizations.id and urls.is_active = 1
    where import_leased_until is null
    group by organizations.id, active_urls having active_urls <> count(urls.id)
    order by organizations.id`.execute(read);
  return rows;
}

/** Corrects counters by their difference, so changes since the diagnosis are not lost. */
export async function repairLinkCounters(
  database: Database,
  wrong: readonly WrongCounter[],
): Promise<void> {
  await database.writeDirectly(async (transaction) => {
    for (const { id, counted, actual } of wrong) {
      await sql`update organizations set active_urls = active_urls + ${actual - counted}
        where id = ${id}`.execute(transaction);
    }
  }, 'exclusive');
}
