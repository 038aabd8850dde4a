import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VisitRepository } from '../../src/analytics/ingest/visit-repository.js';
import { checkedText, parseTexts, toLine } from '../../src/analytics/journal/journal-lines.js';
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

const textOf = (line: string) => checkedText(Buffer.from(line.trimEnd())) ?? [];
const callLine = (call: string, at: number) => toLine({ call, at });
const at = (offset: number) => ({ segment: 1, offset });
const store = (from: number, to: number, lines: readonly string[]) => {
  return visits.store('writer', at(from), at(to), parseTexts(lines.flatMap(textOf)), now);
};
const counted = async () =>
  (
    await stored.database.read
      .selectFrom('usage_meters')
      .selectAll()
      .orderBy('organization_id')
      .orderBy('month')
      .execute()
  ).map(
    ({ organization_id, month, meter, used }) => `${organization_id} ${month} ${meter} ${used}`,
  );

describe('VisitRepository.store', () => {
  it('counts API calls by organization and month, once for each journal position', async () => {
    const [one, two] = [await stored.addOrganization('free'), await stored.addOrganization('free')];
    const endOfJanuary = Date.UTC(2030, 1) - 1;
    const lines = [
      callLine(one, endOfJanuary),
      callLine(two, endOfJanuary),
      toLine({ download: 'some-code' }),
      callLine(one, endOfJanuary),
      callLine(one, endOfJanuary + 1),
    ];
    expect(await store(0, 1, lines)).toBe(true);
    // The stored position is behind these lines, so they are not stored again.
    expect(await store(0, 1, lines)).toBe(false);
    expect(await store(1, 2, [callLine(two, endOfJanuary)])).toBe(true);
    expect(await counted()).toEqual([
      `${one} 2030-01 api_call 2`,
      `${one} 2030-02 api_call 1`,
      `${two} 2030-01 api_call 2`,
    ]);
  });

  it('ignores API calls of an unknown organization', async () => {
    const known = await stored.addOrganization('free');
    expect(await store(0, 1, [callLine('gone', now), callLine(known, now)])).toBe(true);
    expect(await counted()).toEqual([`${known} 2030-01 api_call 1`]);
  });
});
