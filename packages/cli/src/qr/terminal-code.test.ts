import { expect, test } from 'vitest';
import { readTerminal } from '../../test/read-terminal.js';
import { terminalCode } from './terminal-code.js';

const payloads = [
  'https://sho.example/aB3xY9q',
  'WIFI:T:WPA;S:Guests;P:open sesame;;',
  'Grüße 🎉',
  'x'.repeat(600),
];

test.each([true, false])(
  'what a terminal shows is read by zbar and qr, with colors: %s',
  async (hasColor) => {
    for (const payload of payloads) {
      for (const level of ['L', 'H'] as const) {
        const text = await terminalCode(payload, level, hasColor);
        expect(await readTerminal(text)).toMatchObject({ zbar: payload, qr: payload });
      }
    }
  },
);

test('no line is wider than the QR code with its quiet zone', async () => {
  const text = await terminalCode('a', 'M', true);
  expect((await readTerminal(text)).width).toBe(21 + 8);
  expect(text.split('\n')).toHaveLength(15);
});
