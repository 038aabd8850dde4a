import { v7 as newUuid } from 'uuid';
import type { Database } from '../../src/storage/database.js';
import { bulkInsert } from '../../src/storage/statements.js';

/** Adds organizations with one link each, or one with all links. The ids of the links begin with 1. */
export async function addLinks(database: Database, count: number, perOrganization = count) {
  const ids = Array.from({ length: count / perOrganization }, () => newUuid());
  const base = { created_at: 0, updated_at: 0, is_active: 1, redirect_type: 307 };
  await database.writeDirectly(async (transaction) => {
    const organizations = ids.map((id) => ({
      ...{ id, name: id, plan: 'scale', created_at: 0, active_urls: perOrganization },
    }));
    await bulkInsert(transaction, 'organizations', organizations as never[]);
    const links = Array.from({ length: count }, (_, at) => ({
      ...{ ...base, id: at + 1, organization_id: ids[Math.floor(at / perOrganization)] },
      ...{ target_url: 'https://example.com/', short_code: `code-${at}` },
      ...{ tags: '[]', custom_utm_params: '{}' },
    }));
    await bulkInsert(transaction, 'urls', links as never[]);
  });
}
