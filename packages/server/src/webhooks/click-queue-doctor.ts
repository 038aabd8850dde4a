import { sql } from 'kysely';
import type { Database } from '../storage/database.js';

/** A webhook whose counter of waiting clicks differs from the clicks in its queue. */
interface WrongQueue {
  readonly id: string;
  readonly counted: number;
  readonly actual: number;
}

export async function findWrongClickQueues({ read }: Database): Promise<readonly WrongQueue[]> {
  const { rows } = await sql<WrongQueue>`
    select click_queues.webhook_id as id, waiting as counted,
      cast(coalesce(sum(visit_count), 0) as bigint) as actual
    from click_queues
    left join queued_clicks on queued_clicks.webhook_id = click_queues.webhook_id
    group by click_queues.webhook_id, waiting having waiting <> coalesce(sum(visit_count), 0)
    order by click_queues.webhook_id`.execute(read);
  return rows;
}

/** Corrects counters by their difference, so clicks since the diagnosis are not lost. */
export async function repairClickQueues(
  database: Database,
  wrong: readonly WrongQueue[],
): Promise<void> {
  await database.writeDirectly(async (transaction) => {
    for (const { id, counted, actual } of wrong) {
      await sql`update click_queues set waiting = waiting + ${actual - counted}
        where webhook_id = ${id}`.execute(transaction);
    }
  }, 'exclusive');
}
