import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { parseTexts } from '../../src/analytics/journal/journal-lines.js';
import { EventOutbox } from '../../src/events/event-outbox.js';
import { now, openRepository, type Stored } from '../storage/temporary-database.js';

let stored: Stored;
let visits: VisitRepository;
beforeEach(async () => {
  stored = await openRepository();
  const outbox = new EventOutbox(stored.database, { newId: () => 'event' });
  visits = new VisitRepository(stored.database, { outbox, thresholds: [] });
});
afterEach(() => stored.close());

const position = (offset: number) => ({ segment: 1, offset });
const store = (from: number, to: number, records: readonly object[]) => {
  const parsed = parseTexts(records.map((record) => JSON.stringify(record)));
  return visits.store('writer', position(from), position(to), parsed, now);
};
const counted = async () => {
  const meters = stored.database.read.selectFrom('usage_meters').selectAll();
  const rows = await meters.orderBy('organization_id').orderBy('month').execute();
  return rows.map((row) => `${row.organization_id} ${row.month} ${row.meter} ${row.used}`);
};

describe('VisitRepository.store', () => {
  it('counts API calls by organization and month, once for each journal position', async () => {
    const [one, two] = [await stored.addOrganization('free'), await stored.addOrganization('free')];
    const endOfJanuary = Date.UTC(2030, 1) - 1;
    const records = [
      { call: one, at: endOfJanuary },
      { call: two, at: endOfJanuary },
      { download: 'some-code' },
      { call: one, at: endOfJanuary },
      { call: one, at: endOfJanuary + 1 },
    ];
    expect(await store(0, 1, records)).toBe(true);
    // The stored position is behind these lines, so they are not stored again.
    expect(await store(0, 1, records)).toBe(false);
    expect(await store(1, 2, [{ call: two, at: endOfJanuary }])).toBe(true);
    expect(await counted()).toEqual([
      `${one} 2030-01 api_call 2`,
      `${one} 2030-02 api_call 1`,
      `${two} 2030-01 api_call 2`,
    ]);
  });

  it('ignores API calls of an unknown organization', async () => {
    const known = await stored.addOrganization('free');
    const calls = ['gone', known].map((call) => ({ call, at: now }));
    expect(await store(0, 1, calls)).toBe(true);
    expect(await counted()).toEqual([`${known} 2030-01 api_call 1`]);
  });
});
