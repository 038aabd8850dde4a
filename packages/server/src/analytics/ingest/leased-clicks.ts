import { sql } from 'kysely';
import type { Database, WriteTransaction } from '../../storage/database.js';
import { isAmong } from '../../storage/is-among.js';
import type { Visit } from '../journal/journal-lines.js';

/** Takes the clicks of visits from the leases of the process that has redirected them. */
export async function takeLeasedClicks(
  transaction: WriteTransaction,
  writerId: string,
  visits: readonly Pick<Visit, 'urlId' | 'isLeased'>[],
): Promise<void> {
  const counts = countByUrl(visits.filter(({ isLeased }) => isLeased === true));
  if (counts.size === 0) return;
  // Two statements for any number of links: a batch of a busy server has many. The writer is in each
  // member, because with a parameter SQLite compares each lease of the writer with each member.
  const writer = JSON.stringify(writerId);
  const members = Array.from(counts, ([urlId, count]) => `"${urlId}":[${count},${writer}]`);
  await sql`
    update click_leases set clicks = clicks - cast(value ->> 0 as bigint)
    from json_each(${`{${members.join()}}`})
    where url_id = cast(key as bigint) and writer_id = value ->> 1`.execute(transaction);
  await sql`
    delete from click_leases where writer_id = ${writerId} and clicks <= 0
      and ${isAmong(transaction, sql.ref('url_id'), counts.keys())}`.execute(transaction);
}

/**
 * Ends the leases of a process that has ended, once all visits of its journal are stored: what is left was
 * not used.
 */
export async function endLeases(
  { writeDirectly }: Pick<Database, 'writeDirectly'>,
  writerId: string,
): Promise<void> {
  await writeDirectly(
    (transaction) =>
      transaction.deleteFrom('click_leases').where('writer_id', '=', writerId).execute(),
    'rows',
  );
}

function countByUrl(visits: readonly Pick<Visit, 'urlId'>[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { urlId } of visits) counts.set(urlId, (counts.get(urlId) ?? 0) + 1);
  return counts;
}
