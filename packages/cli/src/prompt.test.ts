import { describe, expect, test } from 'vitest';
import { type FakeIo, fakeIo } from '../test/fake-io.js';
import { ask, askHidden } from './prompt.js';

function terminal(): FakeIo {
  return fakeIo({ isTerminal: true });
}

describe('askHidden', () => {
  test.each([
    ['secret\r', 'secret'],
    ['secret\n', 'secret'],
    ['sécret 🎈\r', 'sécret 🎈'],
    ['secrex\u007ft\r', 'secret'],
    ['a🎈\bb\r', 'ab'],
    ['\u007f\u007fab\r', 'ab'],
  ])('typed as %j is %j', async (typed, secret) => {
    const io = terminal();
    const answer = askHidden('Secret: ', io);
    io.stdin.write(typed);
    expect(await answer).toBe(secret);
    expect(io.text).toEqual({ stdout: '', stderr: 'Secret: \n' });
    expect(io.rawModes).toEqual([true, false]);
  });

  test('accepts single characters and the end of the input', async () => {
    const io = terminal();
    const answer = askHidden('Secret: ', io);
    for (const letter of 'abc') io.stdin.write(letter);
    io.stdin.end();
    expect(await answer).toBe('abc');
  });

  test('Ctrl-C exits with 130 and restores the terminal mode', async () => {
    const io = terminal();
    const answer = askHidden('Secret: ', io);
    io.stdin.write('abc\u0003');
    await expect(answer).rejects.toMatchObject({ exitCode: 130 });
    expect(io.rawModes).toEqual([true, false]);
  });
});

test.each([
  ['Ctrl-C', ({ stdin }: FakeIo) => stdin.write('\u0003')],
  ['an interrupt signal', ({ interruption }: FakeIo) => interruption.abort()],
])('%s at a question exits with 130', async (_, interrupt) => {
  const io = terminal();
  const answer = ask('Client id: ', io);
  interrupt(io);
  await expect(answer).rejects.toMatchObject({ exitCode: 130 });
});
