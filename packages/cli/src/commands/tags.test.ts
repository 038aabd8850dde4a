import { NotFoundError } from '@shorty/sdk';
import { expect, it } from 'vitest';
import { changeTag } from './tags.js';

const notFound = new NotFoundError('There is no tag "a" in this organization', { status: 404 });
const partial = { name: 'a', updatedCount: 100, isComplete: false };

/** Returns a request whose attempts end with these results in order. */
function requestOf(...results: (typeof partial | Error)[]) {
  return async () => {
    const result = results.shift();
    if (result === undefined || result instanceof Error) throw result;
    return result;
  };
}

it('repeats the request until it is complete, and adds the counts', async () => {
  const last = { ...partial, updatedCount: 7, isComplete: true };
  expect(await changeTag(requestOf(partial, partial, last))).toBe(207);
});

it('is complete when another client has changed the remaining links', async () => {
  expect(await changeTag(requestOf(partial, notFound))).toBe(100);
});

it('rejects when no link has the tag, and with any other error', async () => {
  await expect(changeTag(requestOf(notFound))).rejects.toBe(notFound);
  const failure = new Error('the network is down');
  await expect(changeTag(requestOf(partial, failure))).rejects.toBe(failure);
});
