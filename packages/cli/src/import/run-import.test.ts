import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ImportChunk, ImportRow } from './plan-chunks.js';
import {
  type ChunkOutcome,
  type ChunkResponse,
  type ImportPipeline,
  runImport,
} from './run-import.js';

function row(index: number, error?: string): ImportRow {
  const place = { index, line: index + 2, raw: `row ${index}` };
  return error === undefined ? { ...place, item: { targetUrl: `t${index}` } } : { ...place, error };
}

function chunk(index: number, rows: readonly ImportRow[] = [row(index)]): ImportChunk {
  return { index, rows, payloadDigest: `digest ${index}`, bytesRead: index };
}

async function* chunksUpTo(count: number): AsyncGenerator<ImportChunk> {
  for (let index = 0; index < count; index++) yield chunk(index);
}

type Result = ChunkResponse['result'];

/** Returns a response that has created all items. */
function allCreated(items: readonly { targetUrl: string }[]): ChunkResponse {
  const created = items.map(({ targetUrl }, index) => ({ index, targetUrl, id: `${index}` }));
  const counts = { createdCount: created.length, errorCount: 0, total: created.length };
  return { result: { created, errors: [], ...counts } as unknown as Result, isReplayed: false };
}

/** A server whose responses the test sends, in any order. */
class FakeServer {
  readonly waiting = new Map<number, (response: ChunkResponse | Error) => void>();
  readonly outcomes: ChunkOutcome[] = [];
  maxWaiting = 0;

  pipeline(change: Partial<ImportPipeline> = {}): ImportPipeline {
    return {
      chunks: chunksUpTo(8),
      select: ({ rows }) => rows,
      concurrency: 3,
      signal: new AbortController().signal,
      send: (items, { index }, signal) =>
        new Promise((resolve, reject) => {
          this.waiting.set(index, (response) => {
            this.waiting.delete(index);
            if (response instanceof Error) reject(response);
            else resolve(response);
          });
          this.maxWaiting = Math.max(this.maxWaiting, this.waiting.size);
          signal.addEventListener('abort', () => reject(signal.reason));
          void items;
        }),
      onChunk: async (outcome) => {
        this.outcomes.push(outcome);
        return 'continue';
      },
      ...change,
    };
  }

  /** Sends the response to a waiting request. Resolves when the client has processed it. */
  async respond(index: number, response: ChunkResponse | Error): Promise<void> {
    this.waiting.get(index)?.(response);
    await new Promise(setImmediate);
  }
}

const created = (index: number) => allCreated([{ targetUrl: `t${index}` }]);

test('outcomes are in file order for any response order, within the concurrency limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat()), async (choices) => {
      const server = new FakeServer();
      const finished = runImport(server.pipeline());
      await new Promise(setImmediate);
      while (server.waiting.size > 0) {
        const open = [...server.waiting.keys()];
        const index = open[(choices.next().value ?? 0) % open.length] ?? 0;
        await server.respond(index, created(index));
      }
      await finished;
      expect(server.outcomes.map((outcome) => outcome.chunk.index)).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7,
      ]);
      expect(server.maxWaiting).toBe(3);
    }),
    { numRuns: 50 },
  );
});

test('only the selected rows are sent', async () => {
  const sent: number[] = [];
  const server = new FakeServer();
  await runImport(
    server.pipeline({
      select: ({ index, rows }) => (index < 6 ? [] : rows),
      send: async (_, { index }) => {
        sent.push(index);
        return created(index);
      },
    }),
  );
  expect(sent).toEqual([6, 7]);
});

test('after a stop, no chunk is sent, and the outcomes of those in flight follow', async () => {
  const server = new FakeServer();
  const finished = runImport(
    server.pipeline({
      onChunk: async (outcome) => {
        server.outcomes.push(outcome);
        return outcome.chunk.index === 1 ? 'stop' : 'continue';
      },
    }),
  );
  await new Promise(setImmediate);
  await server.respond(0, created(0));
  await server.respond(1, created(1));
  expect([...server.waiting.keys()]).toEqual([2, 3]);
  await server.respond(3, created(3));
  await server.respond(2, created(2));
  await finished;
  expect(server.outcomes.map((outcome) => outcome.chunk.index)).toEqual([0, 1, 2, 3]);
});

test('a rejected chunk stops the import: earlier outcomes are reported, pending requests aborted', async () => {
  const server = new FakeServer();
  const finished = runImport(server.pipeline());
  const caught = finished.catch((error: unknown) => error);
  await new Promise(setImmediate);
  await server.respond(0, created(0));
  await server.respond(1, new Error('refused'));
  expect(await caught).toMatchObject({ message: 'refused' });
  expect(server.outcomes.map((outcome) => outcome.chunk.index)).toEqual([0]);
});

test('an interruption stops it immediately', async () => {
  const server = new FakeServer();
  const interruption = new AbortController();
  const caught = runImport(server.pipeline({ signal: interruption.signal })).catch(
    (error: unknown) => error,
  );
  await new Promise(setImmediate);
  interruption.abort(new Error('interrupted'));
  expect(await caught).toMatchObject({ message: 'interrupted' });
  expect(server.outcomes).toEqual([]);
});

test('an error in onChunk stops it', async () => {
  const server = new FakeServer();
  const caught = runImport(
    server.pipeline({
      send: async (_, { index }) => created(index),
      onChunk: () => Promise.reject(new Error('disk full')),
    }),
  );
  await expect(caught).rejects.toThrow('disk full');
});

describe('rows and results', () => {
  async function outcomesOf(rows: readonly ImportRow[], result: Partial<Result>) {
    const server = new FakeServer();
    let asked = 0;
    await runImport(
      server.pipeline({
        chunks: (async function* () {
          yield chunk(0, rows);
        })(),
        send: async () => {
          asked++;
          return { result: { created: [], errors: [], ...result } as Result, isReplayed: true };
        },
      }),
    );
    return { asked, outcome: server.outcomes[0] };
  }

  test('are matched when some rows were not sent', async () => {
    const rows = [row(0), row(1, 'broken'), row(2), row(3)];
    const { outcome } = await outcomesOf(rows, {
      created: [{ index: 1, id: '7' }] as unknown as Result['created'],
      errors: [{ index: 0, error: 'taken', code: 'SLUG_CONFLICT' }],
    });
    expect(outcome?.isReplayed).toBe(true);
    expect(outcome?.rows.map(({ created, failure }) => created?.id ?? failure)).toEqual([
      { message: 'taken', code: 'SLUG_CONFLICT' },
      { message: 'broken', code: 'INVALID_ROW' },
      '7',
      { message: 'the response contains no result for the row', code: 'NO_ANSWER' },
    ]);
  });

  test('no request is sent without a valid row', async () => {
    const { asked, outcome } = await outcomesOf([row(0, 'broken')], {});
    expect([asked, outcome?.rows.length, outcome?.isReplayed]).toEqual([0, 1, false]);
  });
});
