import { toChunk } from '../../packages/server/dist/analytics/ingest/columns-codec.js';
import { VisitColumnsBuilder } from '../../packages/server/dist/analytics/ingest/visit-columns.js';
import { openStorage } from '../../packages/server/dist/storage/open-storage.js';
import { makeVisits } from './visit-maker.mjs';

const visitsPerChunk = 2_048;
const rowsPerInsert = 16;
const linksPerInsert = 1_000;

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
    if (index > 0) await createOrganization(database, id, from);
    const firstLink = 1 + index * links;
    await createLinks(database, id, { firstLink, links, from });
    // Each organization has the same visits.
    const made = makeVisits({ count: visits, links, from, until });
    await storeChunks(database, id, made, firstLink - 1);
  }
  await database.close();
}

function createOrganization(database, id, createdAt) {
  return database.writeDirectly((transaction) =>
    transaction
      .insertInto('organizations')
      .values({ id, name: id, plan: 'enterprise', created_at: createdAt })
      .execute(),
  );
}

async function createLinks(database, organizationId, { firstLink, links, from }) {
  for (let start = 0; start < links; start += linksPerInsert) {
    const rows = Array.from({ length: Math.min(linksPerInsert, links - start) }, (_, index) => {
      const id = firstLink + start + index;
      return {
        id,
        organization_id: organizationId,
        short_code: `b${String(id).padStart(6, '0')}`,
        target_url: `https://example.com/landing/${id}`,
        tags: '[]',
        redirect_type: 302,
        custom_utm_params: '{}',
        is_active: 1,
        created_at: from,
        updated_at: from,
      };
    });
    await database.writeDirectly((transaction) => database.bulkInsert(transaction, 'urls', rows));
  }
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
