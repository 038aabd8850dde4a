import { describe, expect, it } from 'vitest';
import { codeOf, EVENT } from '../test/sample.js';
import { parseEvent } from './event.js';

const parse = (text: string) => parseEvent(new TextEncoder().encode(text));

describe('parseEvent', () => {
  it('returns the event with unknown fields of its data', () => {
    const event = { ...EVENT, data: { ...EVENT.data, tags: ['launch'] } };
    expect(parse(JSON.stringify(event))).toEqual(event);
  });

  it('accepts an unknown event type', () => {
    expect(parse(JSON.stringify({ ...EVENT, type: 'qr.updated' })).type).toBe('qr.updated');
  });

  it.each([
    '',
    'x',
    '{',
    'null',
    'true',
    '7',
    '"text"',
    '[]',
    '{}',
    `[${JSON.stringify(EVENT)}]`,
    JSON.stringify({ ...EVENT, id: 7 }),
    JSON.stringify({ ...EVENT, type: null }),
    JSON.stringify({ ...EVENT, createdAt: 1_748_779_200 }),
    JSON.stringify({ ...EVENT, createdAt: 'yesterday' }),
    JSON.stringify({ ...EVENT, createdAt: '2025-13-01T00:00:00.000Z' }),
    JSON.stringify({ ...EVENT, createdAt: undefined }),
    JSON.stringify({ ...EVENT, data: null }),
    JSON.stringify({ ...EVENT, data: [] }),
    JSON.stringify({ ...EVENT, data: undefined }),
  ])('refuses %s', async (text) => {
    expect(await codeOf(() => parse(text))).toBe('invalid_json');
  });

  it('refuses invalid UTF-8 instead of replacing it', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(EVENT).replace('aB3xY9z', '~'));
    bytes[bytes.indexOf(0x7e)] = 0xff;
    expect(await codeOf(() => parseEvent(bytes))).toBe('invalid_json');
  });
});
