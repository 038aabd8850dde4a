import { type IncomingMessage, request } from 'node:http';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseReader } from './response-reader.js';

interface Shape {
  readonly informational: readonly number[];
  readonly status: number;
  readonly framing: 'length' | 'chunked' | 'close';
  readonly pieces: readonly Uint8Array[];
  readonly header: string;
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  informational: fc.array(fc.constantFrom(100, 102, 103), { maxLength: 3 }),
  status: fc.constantFrom(200, 201, 204, 302, 304, 404, 500, 599),
  framing: fc.constantFrom('length', 'chunked', 'close'),
  pieces: fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 4 }),
  header: fc.constantFrom('X: y', 'X:y', 'X: \t y\t', 'X-Empty:', 'X: caf\xe9'),
});

function responseOf({ informational, status, framing, pieces, header }: Shape): Buffer {
  const framings = {
    length: `Content-Length: ${Buffer.concat(pieces).length}\r\n`,
    chunked: 'Transfer-Encoding: chunked\r\n',
    close: '',
  };
  const head = `${informational.map((code) => `HTTP/1.1 ${code} Wait\r\nA: b\r\n\r\n`).join('')}HTTP/1.1 ${status} Done\r\n${header}\r\n${framings[framing]}\r\n`;
  const hasBody = status !== 204 && status !== 304;
  const body =
    framing === 'chunked'
      ? [
          ...pieces.flatMap((each) => [
            Buffer.from(`${each.length.toString(16)}\r\n`),
            each,
            Buffer.from('\r\n'),
          ]),
          Buffer.from('0\r\nT: u\r\n\r\n'),
        ]
      : pieces;
  return Buffer.concat([Buffer.from(head, 'latin1'), ...(hasBody ? body : [])]);
}

/** Returns how Node's client reads a response. */
async function readByNode(bytes: Buffer): Promise<[number | undefined, string]> {
  const connection = new Duplex({
    read() {},
    write: (_chunk, _encoding, done) => done(),
  });
  const sent = request({ createConnection: () => connection as never, method: 'POST' });
  sent.end();
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
  });
  connection.push(bytes);
  connection.push(null);
  const body: Buffer[] = [];
  const message = await response;
  for await (const chunk of message) body.push(chunk as Buffer);
  return [message.statusCode, Buffer.concat(body).toString('hex')];
}

function readInPieces(bytes: Buffer, cuts: readonly number[]): ResponseReader {
  const reader = new ResponseReader(1_000);
  const positions = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  let from = 0;
  for (const to of positions) {
    reader.read(bytes.subarray(from, to));
    from = to;
  }
  return reader;
}

describe('the response reader', () => {
  it("reads what Node's parser reads, in any pieces", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.array(fc.nat(), { maxLength: 30 }), async (shape, cuts) => {
        const bytes = responseOf(shape);
        const reader = readInPieces(bytes, cuts);
        const isOpen = shape.framing === 'close' && shape.status !== 204 && shape.status !== 304;
        expect([reader.isComplete, reader.isReusable]).toEqual([!isOpen, !isOpen]);
        reader.end();
        const body = Buffer.from(reader.body).toString('hex');
        expect([reader.status, body]).toEqual(await readByNode(bytes));
      }),
      { numRuns: 300 },
    );
  });

  it('never throws anything but an error of the fetch, and never hangs', () => {
    const fragments = fc.constantFrom(
      ...['HTTP/1.1 ', '200 OK', '\r\n', '\n', '\r', ':', ' ', 'Content-Length: ', '5', '-1', '0'],
      ...['Transfer-Encoding: chunked', 'ffffffffff', ';', '\0', 'X', 'HTTP/1.1 100 A\r\n\r\n'],
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 30 }), fc.array(fc.nat()), (texts, cuts) => {
        const bytes = Buffer.from(texts.join(''));
        try {
          readInPieces(bytes, cuts).end();
        } catch (error) {
          expect(error).toMatchObject({ name: 'GuardedFetchError' });
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('gives names that every object has no meaning', () => {
    const reader = new ResponseReader(10);
    reader.read(Buffer.from('HTTP/1.1 204 A\r\n__proto__: a\r\nconstructor: b\r\n\r\n'));
    expect(Object.keys(reader.headers)).toEqual(['__proto__', 'constructor']);
  });
});
