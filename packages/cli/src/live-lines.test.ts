import { expect, onTestFinished, test } from 'vitest';
import { fakeIo } from '../test/fake-io.js';
import { createContext } from './context.js';
import { LiveLines } from './live-lines.js';

function open({ columns = 80, isTerminal = true, isQuiet = false } = {}) {
  let now = 0;
  const io = fakeIo({ isTerminal, env: { TERM: 'xterm' }, now: () => now });
  Object.assign(io.stderr, { columns });
  const options = { format: 'table', isQuiet, allowsColor: true } as const;
  const lines = new LiveLines(createContext(io, {}, options));
  onTestFinished(() => lines.clear());
  return {
    io,
    lines,
    wait: (ms: number) => {
      now += ms;
    },
    /** Returns what was printed since the last call. */
    printed: () => {
      const { stderr } = io.text;
      io.text.stderr = '';
      return stderr;
    },
  };
}

test('replaces its lines, at most ten times a second', () => {
  const { lines, wait, printed } = open();
  lines.show(() => ['one', 'two']);
  expect(printed()).toBe('one\ntwo');
  lines.show(() => ['too early']);
  expect(printed()).toBe('');
  wait(100);
  lines.show(() => ['three']);
  expect(printed()).toBe('\r\u001b[1A\u001b[Jthree');
  lines.clear();
  expect(printed()).toBe('\r\u001b[J');
});

test('prints other lines above', () => {
  const { lines, printed } = open();
  lines.show(() => ['progress']);
  printed();
  lines.log('a failure');
  expect(printed()).toBe('\r\u001b[Ja failure\nprogress');
});

test('no line is wider than the terminal, also with colors and wide characters', () => {
  const { lines, printed } = open({ columns: 11 });
  lines.show(() => ['\u001b[31mred\u001b[39m', '\u001b[31m東京タワー東京\u001b[39m']);
  expect(printed()).toBe('\u001b[31mred\u001b[39m\n東京タワ…');
});

test('a resized terminal: erases the wrapped rows, and draws for the new width', () => {
  const { io, lines, printed } = open();
  lines.show((width) => ['x'.repeat(width), 'last']);
  expect(printed()).toBe(`${'x'.repeat(79)}\nlast`);
  Object.assign(io.stderr, { columns: 40 });
  io.stderr.emit('resize');
  // The first line has wrapped to two rows.
  expect(printed()).toBe(`\r\u001b[2A\u001b[J${'x'.repeat(39)}\nlast`);
});

test('after Ctrl-Z and fg: draws again without erasing what the shell printed', () => {
  const { lines, printed } = open();
  lines.show(() => ['second line', 'progress']);
  printed();
  for (const _ of ['once', 'again']) {
    process.emit('SIGCONT');
    expect(printed()).toBe('\r\u001b[Jsecond line\nprogress');
  }
});

test('leaves no listener behind', () => {
  const { io, lines } = open();
  const count = () => io.stderr.listenerCount('resize') + process.listenerCount('SIGCONT');
  const before = count();
  lines.show(() => ['progress']);
  expect(count()).toBe(before + 2);
  lines.clear();
  expect(count()).toBe(before);
});

test.each([{ isTerminal: false }, { isQuiet: true }])('prints nothing with %j', (change) => {
  const { lines, printed } = open(change);
  lines.show(() => ['progress']);
  lines.clear();
  expect(printed()).toBe('');
});
