import { describe, expect, it } from 'vitest';
import { LogDestination } from './log-destination.js';

/** A destination on a disk with `free` bytes left. */
function open(free: number) {
  const disk = { free, text: '' };
  const destination = new LogDestination((bytes) => {
    if (disk.free === 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const written = bytes.subarray(0, disk.free);
    disk.free -= written.length;
    disk.text += Buffer.from(written).toString();
    return written.length;
  });
  return { disk, destination };
}

describe('LogDestination', () => {
  it('drops and counts lines on a full disk, and reports their number afterwards', () => {
    const { disk, destination } = open(0);
    for (let at = 0; at < 3; at += 1) destination.write('lost\n');
    expect([disk.text, destination.dropped]).toEqual(['', 3]);
    disk.free = 10_000;
    destination.write('next\n');
    destination.write('last\n');
    const [report = '', ...rest] = disk.text.split('\n');
    expect(JSON.parse(report)).toMatchObject({ level: 40, count: 3 });
    expect(rest).toEqual(['next', 'last', '']);
    expect(destination.dropped).toBe(3);
  });

  it('ends a line that the full disk has cut', () => {
    const { disk, destination } = open(2);
    destination.write('torn\n');
    disk.free = 10_000;
    destination.write('next\n');
    const [torn, report = '', next] = disk.text.split('\n');
    expect([torn, next]).toEqual(['to', 'next']);
    expect(JSON.parse(report)).toMatchObject({ count: 1 });
  });
});
