import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { urlCreated } from '../test/responses.js';
import { createTestClient } from '../test/test-client.js';
import { runBulk } from './bulk.js';
import { ShortyBulkError } from './bulk-error.js';
import { RateLimitError } from './errors.js';
import type { BulkOptions } from './options.js';
import type { UrlBulkCreateResult as BulkCreateResult } from './types.js';

const rateLimited = new RateLimitError('slow down', { status: 429, code: 'RATE_LIMITED' });

/** Creates what is even and refuses what is odd, as positions within one request. */
function resultOf(items: readonly number[]): BulkCreateResult {
  const created: BulkCreateResult['created'] = [];
  const errors: BulkCreateResult['errors'] = [];
  for (const [index, item] of items.entries()) {
    if (item % 2 === 0) created.push({ index, ...urlCreated(String(item)) });
    else {
      const message = `no ${item}`;
      const error = { message, error: message, details: [], externalId: null };
      errors.push({ index, ...error, code: 'CREATE_FAILED' });
    }
  }
  const counts = { createdCount: created.length, failedCount: errors.length };
  return { requested: items.length, ...counts, created, errors };
}

type Send = (items: number[], chunkIndex: number) => PromiseLike<BulkCreateResult>;

function run(
  items: Iterable<number> | AsyncIterable<number>,
  options: BulkOptions<BulkCreateResult> = {},
  send: Send = async (chunk) => resultOf(chunk),
): Promise<BulkCreateResult> {
  let sent = 0;
  // Numbers in place of links are easier to compare.
  return runBulk(items, (chunk: number[]) => send(chunk, sent++), resultOf([]), options);
}

it.each([
  [{ ifMatch: 'x' }, 'ifMatch is not an option of bulk calls'],
  [{ concurency: 2 }, 'concurency is not an option: did you mean concurrency?'],
])('refuses %j', async (options, message) => {
  const call = run([1], options as object, () => Promise.reject(new Error('was sent')));
  await expect(call).rejects.toThrow(message);
});

it('refuses a string, whose items would be its characters', async () => {
  const { urls } = createTestClient({ fetch: () => Promise.reject(new Error('was sent')) });
  // @ts-expect-error A string is not a list of ids.
  const call = urls.bulkDelete('1188');
  await expect(call).rejects.toMatchObject({ name: 'ShortyConfigError', option: 'items' });
  // @ts-expect-error The body of the API's request is not a list of ids.
  const ofBody = urls.bulkDelete({ ids: ['1188'] });
  await expect(ofBody).rejects.toThrow('items must be an array or an iterable');
});

it('adds the fields of a newer server', async () => {
  const send: Send = async (chunk) => ({ ...resultOf(chunk), skippedCount: 1, warnings: ['slow'] });
  const total = await run(numbers(200), {}, send);
  expect(total).toMatchObject({ createdCount: 100, skippedCount: 2, warnings: ['slow', 'slow'] });
});

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const indices = ({ created, errors }: BulkCreateResult) =>
  [...created, ...errors].map(({ index }) => index).sort((a, b) => a - b);

async function bulkErrorOf(promise: Promise<unknown>): Promise<ShortyBulkError> {
  const error = await promise.catch((reason: unknown) => reason);
  if (error instanceof ShortyBulkError) return error;
  throw new Error('no ShortyBulkError', { cause: error });
}

function partialOf({ partial }: ShortyBulkError): BulkCreateResult {
  if ('created' in partial) return partial;
  throw new Error('not the result of a create');
}

/** Requests that the test completes, in any order. */
function heldRequests() {
  const held: { chunk: number; succeed: () => void; fail: (reason: unknown) => void }[] = [];
  const send: Send = (items, chunk) =>
    new Promise((resolve, reject) => {
      held.push({ chunk, succeed: () => resolve(resultOf(items)), fail: reject });
    });
  return { held, send };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a bulk call', () => {
  it('adds up results in the order of the input, at any concurrency', async () => {
    const inputs = fc.array(fc.nat(1000), { maxLength: 450 });
    await fc.assert(
      fc.asyncProperty(inputs, fc.integer({ min: 1, max: 6 }), async (items, concurrency) => {
        const expected = resultOf(items);
        const whole = await run(items, { concurrency });
        expect(whole).toEqual(expected);
      }),
    );
  });

  it('sends `concurrency` requests at a time, in the order of the input', async () => {
    const { held, send } = heldRequests();
    const chunks: number[] = [];
    const onChunk = (result: BulkCreateResult, chunk: number) => {
      chunks.push(chunk);
      expect(indices(result)[0]).toBe(chunk * 100);
    };
    const call = run(numbers(500), { concurrency: 3, onChunk }, send);
    await settle();
    expect(held).toHaveLength(3);
    held[2]?.succeed();
    held[1]?.succeed();
    await settle();
    expect(chunks).toEqual([]);
    held[0]?.succeed();
    await settle();
    for (const request of held) request.succeed();
    await settle();
    for (const request of held) request.succeed();
    const result = await call;
    expect(chunks).toEqual([0, 1, 2, 3, 4]);
    expect(result.created.map(({ index }) => index)).toEqual(numbers(250).map((at) => at * 2));
  });

  it('reads no more of its source than it needs', async () => {
    let read = 0;
    function* source() {
      while (read < 100_000) yield read++;
    }
    const { held, send } = heldRequests();
    const controller = new AbortController();
    const call = run(source(), { concurrency: 2, signal: controller.signal }, send);
    await settle();
    expect(held).toHaveLength(2);
    // Two hundred are under way, and one more request is ready.
    expect(read).toBe(300);
    controller.abort();
    for (const request of held) request.succeed();
    await expect(call).rejects.toMatchObject({ nextIndex: 200, unknown: [] });
    expect(read).toBe(300);
  });

  it('passes results to onChunk alone with `collect: false`', async () => {
    const passed: number[] = [];
    const onChunk = (result: BulkCreateResult) => {
      passed.push(...indices(result));
    };
    const total = await run(numbers(250), { collect: false, onChunk });
    expect(passed.sort((a, b) => a - b)).toEqual(numbers(250));
    expect(total).toMatchObject({ requested: 250, createdCount: 125, created: [], errors: [] });
  });
});

describe('a bulk call that fails before its end', () => {
  it('has the error of the request as cause, with its status and code', async () => {
    const error = await bulkErrorOf(
      run(numbers(450), {}, async (items, chunk) => {
        if (chunk === 2) throw rateLimited;
        return resultOf(items);
      }),
    );
    expect(error).toMatchObject({
      name: 'ShortyBulkError',
      status: 429,
      code: 'RATE_LIMITED',
      cause: rateLimited,
      message: 'the bulk call stopped after 200 items: slow down',
    });
  });

  it('accounts for each item: completed, unknown or not sent', async () => {
    const sizes = fc.nat(900);
    const failing = fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 4 });
    const concurrencies = fc.integer({ min: 1, max: 5 });
    await fc.assert(
      fc.asyncProperty(sizes, failing, concurrencies, async (size, fails, concurrency) => {
        const started = new Set<number>();
        const outcome = await run(numbers(size), { concurrency }, async (items, chunk) => {
          started.add(chunk);
          if (fails.includes(chunk)) throw rateLimited;
          return resultOf(items);
        }).catch((reason: unknown) => reason);
        if (fails.every((chunk) => chunk * 100 >= size)) {
          expect(outcome).toEqual(resultOf(numbers(size)));
          return;
        }
        const error = await bulkErrorOf(Promise.reject(outcome));
        const { unknown, nextIndex } = error;
        const completed = indices(partialOf(error));
        expect([...completed, ...unknown].sort((a, b) => a - b)).toEqual(numbers(nextIndex));
        expect([...unknown]).toEqual([...unknown].sort((a, b) => a - b));
        expect(nextIndex).toBe(Math.min(size, started.size * 100));
      }),
    );
  });

  it('reports a failed request while its source waits', async () => {
    async function* source() {
      yield* numbers(100);
      await new Promise(() => {});
    }
    const call = run(source(), {}, () => Promise.reject(rateLimited));
    await expect(call).rejects.toMatchObject({ cause: rateLimited, nextIndex: 100 });
  });

  it('has the error of its source as cause', async () => {
    const broken = new Error('row 151 is unreadable');
    async function* source() {
      yield* numbers(150);
      throw broken;
    }
    const error = await bulkErrorOf(run(source()));
    expect(error).toMatchObject({ cause: broken, unknown: [], nextIndex: 100 });
    expect(indices(partialOf(error))).toEqual(numbers(100));
  });

  it.each([
    [{ targetUrl: 'x', expiresAt: new Date('x') }, 'items[151].expiresAt must be valid'],
    [{ targetUrl: 'x', rules: [undefined] }, 'items[151].item 0 must be valid'],
    [null, 'items[151] must be an item, not null'],
  ])('names the position of %j, whose request is not sent', async (wrong, message) => {
    const items: unknown[] = numbers(151);
    const error = await bulkErrorOf(run([...items, wrong] as number[]));
    expect(error).toMatchObject({ unknown: [], nextIndex: 100 });
    expect(error.message).toContain(message);
    expect(indices(partialOf(error))).toEqual(numbers(100));
  });

  it('counts a request as completed if its onChunk throws', async () => {
    const full = new Error('disk full');
    const onChunk = () => Promise.reject(full);
    const error = await bulkErrorOf(run(numbers(300), { onChunk }));
    expect(error.cause).toBe(full);
    expect(error.unknown).toEqual([]);
    expect(indices(partialOf(error))).toEqual(numbers(error.nextIndex));
  });

  it.each(['onChunk', 'the source'])('ends on abort, even if %s never settles', async (name) => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const hang = () => {
      setImmediate(() => controller.abort(reason));
      return new Promise<never>(() => {});
    };
    async function* source() {
      yield* numbers(200);
      if (name === 'the source') await hang();
    }
    const onChunk = name === 'onChunk' ? hang : undefined;
    const call = run(source(), { signal: controller.signal, onChunk });
    expect(await bulkErrorOf(call)).toMatchObject({ cause: reason, unknown: [] });
  });
});
