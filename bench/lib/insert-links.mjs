const linksPerInsert = 1_000;

/** Inserts an organization without clients. */
export function insertOrganization(database, id, createdAt) {
  return database.writeDirectly((transaction) =>
    transaction
      .insertInto('organizations')
      .values({ id, name: id, plan: 'enterprise', created_at: createdAt })
      .execute(),
  );
}

/** Inserts links with ascending ids, without keys: they can be visited only by their ids. */
export async function insertLinks(database, organizationId, { firstLink, links, from }) {
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
