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

/** An answer that makes all items. */
function allMade(items: readonly { targetUrl: string }[]): ChunkResponse {
  const created = items.map(({ targetUrl }, index) => ({ index, targetUrl, id: `${index}` }));
  const counts = { createdCount: created.length, errorCount: 0, total: created.length };
  return { result: { created, errors: [], ...counts } as unknown as Result, isReplayed: false };
}

/** Lets a test answer requests by hand, in any order. */
class Desk {
  readonly waiting = new Map<number, (answer: ChunkResponse | Error) => void>();
  readonly outcomes: ChunkOutcome[] = [];
  most = 0;

  pipeline(change: Partial<ImportPipeline> = {}): ImportPipeline {
    return {
      chunks: chunksUpTo(8),
      skipChunks: 0,
      concurrency: 3,
      signal: new AbortController().signal,
      send: (items, { index }, signal) =>
        new Promise((resolve, reject) => {
          this.waiting.set(index, (answer) => {
            this.waiting.delete(index);
            if (answer instanceof Error) reject(answer);
            else resolve(answer);
          });
          this.most = Math.max(this.most, this.waiting.size);
          signal.addEventListener('abort', () => reject(signal.reason));
          void items;
        }),
      onChunk: async (outcome) => {
        this.outcomes.push(outcome);
      },
      ...change,
    };
  }

  /** Answers one of those that wait; settles when everything that follows from it has happened. */
  async answer(index: number, answer: ChunkResponse | Error): Promise<void> {
    this.waiting.get(index)?.(answer);
    await new Promise(setImmediate);
  }
}

const made = (index: number) => allMade([{ targetUrl: `t${index}` }]);

test('outcomes are in file order for any response order, within the concurrency limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat()), async (choices) => {
      const desk = new Desk();
      const finished = runImport(desk.pipeline());
      await new Promise(setImmediate);
      while (desk.waiting.size > 0) {
        const open = [...desk.waiting.keys()];
        const index = open[(choices.next().value ?? 0) % open.length] ?? 0;
        await desk.answer(index, made(index));
      }
      await finished;
      expect(desk.outcomes.map((outcome) => outcome.chunk.index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(desk.most).toBe(3);
    }),
    { numRuns: 50 },
  );
});

test('completed chunks are not sent again', async () => {
  const sent: number[] = [];
  const desk = new Desk();
  await runImport(
    desk.pipeline({
      skipChunks: 6,
      send: async (_, { index }) => {
        sent.push(index);
        return made(index);
      },
    }),
  );
  expect(sent).toEqual([6, 7]);
});

test('a rejected chunk stops the import: earlier outcomes are reported, pending requests aborted', async () => {
  const desk = new Desk();
  const finished = runImport(desk.pipeline());
  const caught = finished.catch((error: unknown) => error);
  await new Promise(setImmediate);
  await desk.answer(0, made(0));
  await desk.answer(1, new Error('refused'));
  expect(await caught).toMatchObject({ message: 'refused' });
  expect(desk.outcomes.map((outcome) => outcome.chunk.index)).toEqual([0]);
});

test('an interruption stops it immediately', async () => {
  const desk = new Desk();
  const interruption = new AbortController();
  const caught = runImport(desk.pipeline({ signal: interruption.signal })).catch(
    (error: unknown) => error,
  );
  await new Promise(setImmediate);
  interruption.abort(new Error('interrupted'));
  expect(await caught).toMatchObject({ message: 'interrupted' });
  expect(desk.outcomes).toEqual([]);
});

test('an error in onChunk stops it', async () => {
  const desk = new Desk();
  const caught = runImport(
    desk.pipeline({
      send: async (_, { index }) => made(index),
      onChunk: () => Promise.reject(new Error('disk full')),
    }),
  );
  await expect(caught).rejects.toThrow('disk full');
});

describe('rows and results', () => {
  async function outcomesOf(rows: readonly ImportRow[], result: Partial<Result>) {
    const desk = new Desk();
    let asked = 0;
    await runImport(
      desk.pipeline({
        chunks: (async function* () {
          yield chunk(0, rows);
        })(),
        send: async () => {
          asked++;
          return { result: { created: [], errors: [], ...result } as Result, isReplayed: true };
        },
      }),
    );
    return { asked, outcome: desk.outcomes[0] };
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
