import { expect, it } from 'vitest';
import { openLogDestination } from './log-destination.js';

it('drops and counts lines on a full disk, which may cut one, and reports their number afterwards', () => {
  let isFull = true;
  let text = '';
  const destination = openLogDestination((line) => {
    text += isFull ? line.slice(0, 2) : line;
    if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  });
  destination.write('torn\n');
  isFull = false;
  destination.write('next\n');
  destination.write('last\n');
  const [torn, report = '', ...rest] = text.split('\n');
  expect(torn).toBe('to');
  expect(JSON.parse(report)).toMatchObject({ level: 40, count: 1 });
  expect(rest).toEqual(['next', 'last', '']);
  expect(destination.dropped()).toBe(1);
});
