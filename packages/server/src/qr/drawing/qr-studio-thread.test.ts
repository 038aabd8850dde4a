import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { type QrDesign, QrDesignError } from './qr-design.js';
import { QrStudioBusyError, QrStudioThread } from './qr-studio-thread.js';

/** A thread that answers as the payload says, in the protocol of `drawing-worker`. */
const thread = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (message) => {
    if (message === 'stop') return parentPort.close();
    const { id, input: [{ payload }] } = message;
    if (payload === 'die') process.exit(1);
    if (payload === 'wait') return;
    if (payload === 'refuse') return parentPort.postMessage({ id, refusal: { field: 'size', message: 'is small', smallestSize: 370 } });
    if (payload === 'fail') return parentPort.postMessage({ id, fault: new Error('broken') });
    parentPort.postMessage({ id, result: new Uint8Array([1]) });
  });`;

let started = 0;
let studio: QrStudioThread;
const open = () => {
  started = 0;
  studio = new QrStudioThread(() => {
    started += 1;
    return new Worker(thread, { eval: true });
  });
  return studio;
};
afterEach(() => studio.stop());

const design = (payload: string): QrDesign => ({
  payload,
  size: 512,
  format: 'png',
  errorCorrection: 'M',
  foregroundColor: '#000000',
  backgroundColor: '#FFFFFF',
  stylePreset: 'default',
  logo: null,
});

describe('a studio in a thread', () => {
  it('starts it with the first drawing', async () => {
    open();
    expect(started).toBe(0);
    expect(await studio.draw(design('a'))).toEqual(new Uint8Array([1]));
    expect(started).toBe(1);
  });

  it('tells refusals by their class and parts', async () => {
    const fault = await open()
      .prove(design('refuse'))
      .catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(QrDesignError);
    expect(fault).toMatchObject({ field: 'size', message: 'is small', smallestSize: 370 });
  });

  it('tells other faults as they are', async () => {
    await expect(open().draw(design('fail'))).rejects.toThrow('broken');
  });

  it('starts another thread when one has ended, and gives up what ended two', async () => {
    open();
    await expect(studio.draw(design('die'))).rejects.toThrow('the thread that draws has ended');
    expect(started).toBe(2);
    expect(await studio.draw(design('a'))).toEqual(new Uint8Array([1]));
  });

  it('draws again what a thread has left', async () => {
    open();
    const [lost, kept] = await Promise.allSettled([
      studio.draw(design('die')),
      studio.draw(design('a')),
      studio.draw(design('b')),
    ]);
    expect([lost.status, kept.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('lets no more wait than it can hold', async () => {
    open();
    const waiting = Promise.allSettled(
      Array.from({ length: 258 }, () => studio.draw(design('wait'))),
    );
    await expect(studio.draw(design('a'))).rejects.toBeInstanceOf(QrStudioBusyError);
    await studio.stop();
    expect((await waiting).every(({ status }) => status === 'rejected')).toBe(true);
  });

  it('can be stopped twice, and draws no more', async () => {
    open();
    await studio.draw(design('a'));
    await studio.stop();
    await studio.stop();
    await expect(studio.draw(design('a'))).rejects.toThrow('closed');
  });
});
