import { setTimeout as sleep } from 'node:timers/promises';
import { toChunk } from '../../packages/server/dist/analytics/ingest/columns-codec.js';
import { VisitColumnsBuilder } from '../../packages/server/dist/analytics/ingest/visit-columns.js';
import { openStorage } from '../../packages/server/dist/storage/open-storage.js';
import { insertLinks, insertOrganization } from './insert-links.mjs';
import { makeVisits } from './visit-maker.mjs';

const visitsPerChunk = 2_048;
const rowsPerInsert = 16;

/**
 * Stores links and visits of organizations in the only chunks that an overview reads, which takes a fifth
 * of the time of the compactor. The first organization is that of the server's credentials; the others
 * are created.
 */
export async function storeOverviewVisits(
  databaseUrl,
  { organizations = 1, links, visits, from, until },
) {
  const database = openStorage({ databaseUrl, durability: 'process' });
  const own = await database.read.selectFrom('organizations').select('id').executeTakeFirst();
  for (let index = 0; index < organizations; index += 1) {
    const id = index === 0 ? own.id : `bench-${index}`;
    if (index > 0) await insertOrganization(database, id, from);
    const firstLink = 1 + index * links;
    await insertLinks(database, id, { firstLink, links, from });
    // Each organization has the same visits.
    const made = makeVisits({ count: visits, links, from, until });
    await storeChunks(database, id, made, firstLink - 1);
  }
  await database.close();
}

/** Waits until the server has stored what its overviews counted, which it does after their responses. */
export async function waitForStoredCounts(databaseUrl) {
  const database = openStorage({ databaseUrl, durability: 'process' });
  const read = async () => {
    const query = database.read.selectFrom('overview_counts').select(['generation', 'part']);
    return JSON.stringify(await query.execute());
  };
  for (let last = ''; ; ) {
    const next = await read();
    // No row was written for a second.
    if (next === last && next !== '[]') break;
    last = next;
    await sleep(1_000);
  }
  await database.close();
}

async function storeChunks(database, organizationId, visits, linksBefore) {
  let number = 0;
  let rows = [];
  let builder = new VisitColumnsBuilder(visitsPerChunk);
  const endChunk = () => {
    if (builder.count === 0) return;
    const chunk = toChunk(builder.finish(), 'organization_chunks');
    rows.push({ organization_id: organizationId, number, ...chunk });
    number += 1;
    builder = new VisitColumnsBuilder(visitsPerChunk);
  };
  const insert = async () => {
    const inserted = rows;
    rows = [];
    if (inserted.length === 0) return;
    await database.writeDirectly((transaction) =>
      database.bulkInsert(transaction, 'organization_chunks', inserted),
    );
  };
  for (const visit of visits) {
    builder.add({ ...visit, urlId: visit.urlId + linksBefore });
    if (builder.count === visitsPerChunk) endChunk();
    if (rows.length === rowsPerInsert) await insert();
  }
  endChunk();
  await insert();
}
