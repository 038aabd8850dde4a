import { beforeEach, describe, expect, it } from 'vitest';
import { type Opened, openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

const second = 1_000;
const day = 24 * 60 * 60 * second;

let opened: Opened;
beforeEach(async () => {
  opened = await openDispatcher();
});

const makeLink = () => opened.stored.create(opened.organizationId, [{}]);
/** Returns `2030-01: 1` for each month with a count. */
const metered = async () =>
  (
    await opened.stored.database.read
      .selectFrom('usage_meters')
      .select(['month', 'used'])
      .where('organization_id', '=', opened.organizationId)
      .where('meter', '=', 'webhook_delivery')
      .orderBy('month')
      .execute()
  ).map(({ month, used }) => `${month}: ${used}`);

describe('webhook_delivery', () => {
  it('counts a delivery once, in the month of its success, whatever the number of attempts', async () => {
    const hook = await receiver((response, count) =>
      response.writeHead(count < 3 ? 500 : 204).end(),
    );
    await opened.subscribe(hook.url);
    await makeLink();
    opened.clock.advance(31 * day - 60 * second);
    const dispatcher = opened.dispatcher();
    await dispatcher.drain();
    opened.clock.advance(30 * second);
    await dispatcher.drain();
    expect(await metered()).toEqual([]);
    opened.clock.advance(120 * second);
    await dispatcher.drain();
    expect(hook.received).toHaveLength(3);
    expect(await metered()).toEqual(['2030-02: 1']);
  });

  it('does not count deliveries that failed', async () => {
    const hook = await opened.hook((response) => response.writeHead(500).end());
    await makeLink();
    const dispatcher = opened.dispatcher({ schedule: [second] });
    await dispatcher.drain();
    opened.clock.advance(second);
    await dispatcher.drain();
    expect(await opened.states(hook.id)).toEqual(['failed 2 The receiver answered 500']);
    expect(await metered()).toEqual([]);
  });

  it('does not count tests and replays', async () => {
    const hook = await opened.hook();
    await makeLink();
    const dispatcher = opened.dispatcher();
    await dispatcher.drain();
    await opened.replay(hook.id);
    await opened.record(hook.id);
    await dispatcher.drain();
    expect(hook.received).toHaveLength(3);
    expect(await metered()).toEqual(['2030-01: 1']);
  });

  it('counts a delivery of two dispatchers once', async () => {
    const id = await opened.subscribe('http://receiver.example/');
    await makeLink();
    const [slow] = await opened.claim([id]);
    await opened.endLeases();
    const [fast] = await opened.claim([id]);
    if (!slow || !fast) throw new Error('nothing was claimed');
    const common = {
      url: 'http://receiver.example/',
      attemptedAt: opened.clock(),
      durationMs: 1,
      responseBody: '',
      nextAttemptAt: null,
    };
    const delivered = { ...common, statusCode: 204, cause: null, error: null };
    const failed = { ...common, statusCode: 500, cause: 'status_5xx', error: 'no' } as const;
    await opened.recordOutcome({ ...delivered, delivery: fast });
    await opened.recordOutcome({ ...delivered, delivery: slow });
    await opened.recordOutcome({ ...failed, delivery: slow });
    expect(await metered()).toEqual(['2030-01: 1']);
    expect(await opened.states(id)).toEqual(['delivered 1 null']);
  });
});
