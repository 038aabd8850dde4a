import { describe, expect, test } from 'vitest';
import { readTerminal } from '../../test/read-terminal.js';
import { terminalCode } from './terminal-code.js';

const payloads = [
  'https://sho.example/aB3xY9q',
  'WIFI:T:WPA;S:Guests;P:open sesame;;',
  'Grüße 🎉',
  'x'.repeat(600),
];

describe.each([true, false])('with colors: %s', (hasColor) => {
  test.each(payloads)('what a terminal shows of %j is read by zbar and qr', async (payload) => {
    for (const level of ['L', 'H'] as const) {
      const text = terminalCode(payload, { level, hasColor, columns: 200 });
      expect(await readTerminal(text ?? '')).toMatchObject({ zbar: payload, qr: payload });
    }
  });

  test('no line is wider than the QR code with its quiet zone', async () => {
    const text = terminalCode('a', { level: 'M', hasColor, columns: 29 }) ?? '';
    expect((await readTerminal(text)).width).toBe(21 + 8);
    expect(text.split('\n')).toHaveLength(15);
  });
});

test('a QR code that does not fit is not printed', () => {
  expect(terminalCode('a', { level: 'M', hasColor: true, columns: 28 })).toBeUndefined();
});

test('prints no control characters without colors, and resets colors', () => {
  const shape = { level: 'M', columns: 80 } as const;
  expect(terminalCode('a', { ...shape, hasColor: false })).not.toContain('\u001b');
  const lines = terminalCode('a', { ...shape, hasColor: true })?.split('\n') ?? [];
  expect(lines.every((line) => line.endsWith('\u001b[39;49m'))).toBe(true);
});
