import { expect, it } from 'vitest';
import { codeOf, EVENT } from '../test/sample.js';
import { parseEvent } from './event.js';

const parse = (text: string) => parseEvent(new TextEncoder().encode(text));

it('returns the event with unknown fields of its data', () => {
  const event = { ...EVENT, data: { ...EVENT.data, tags: ['launch'] } };
  expect(parse(JSON.stringify(event))).toEqual(event);
});

it('accepts an unknown event type', () => {
  expect(parse(JSON.stringify({ ...EVENT, type: 'qr.updated' })).type).toBe('qr.updated');
});

it.each([
  ...['x', '{', 'null', '7', '{}', `[${JSON.stringify(EVENT)}]`],
  ...[
    ...[{ id: 7 }, { type: null }, { data: null }, { data: [] }, { data: undefined }],
    ...[{ createdAt: 1_748_779_200 }, { createdAt: '2025-13-01T00:00:00.000Z' }],
  ].map((change) => JSON.stringify({ ...EVENT, ...change })),
])('refuses %s', async (text) => {
  expect(await codeOf(() => parse(text))).toBe('invalid_json');
});
