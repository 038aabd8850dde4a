import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { deliveryFilters } from '../../src/storage/migrations/0010-delivery-filters.js';
import { openDispatcher } from '../webhooks/open-dispatcher.js';

it('the migration sets the type and the link of existing deliveries', async () => {
  const { stored, subscribe, record } = await openDispatcher();
  const { database, create, addOrganization } = stored;
  const organizationId = await addOrganization('scale');
  await stored.subscribe(organizationId, ['url.created']);
  await create(organizationId, [{}, {}]);
  await record(await subscribe('https://receiver.example/'));
  const read = () =>
    database.read
      .selectFrom('deliveries')
      .select(['id', 'event_type', 'url_id'])
      .orderBy('id')
      .execute();
  const before = await read();
  expect(before).toHaveLength(3);
  expect(before.filter(({ url_id }) => url_id !== null).length).toBeGreaterThanOrEqual(2);
  await database.writeDirectly(async (transaction) => {
    await transaction.updateTable('events').set({ url_id: null }).execute();
    await sql`drop index deliveries_by_type`.execute(transaction);
    await sql`drop index deliveries_by_url`.execute(transaction);
    for (const column of ['event_type', 'url_id']) {
      await sql`alter table deliveries drop column ${sql.ref(column)}`.execute(transaction);
    }
  });
  await database.writeDirectly((transaction) => deliveryFilters(transaction, database.engine));
  expect(await read()).toEqual(before);
});
