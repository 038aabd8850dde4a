import { type LogoRaster, logoLimits } from './logo-limits.js';

/** A message of the logo process. `ready` is the first one; exactly one other message follows. */
export type LogoMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'raster'; readonly raster: LogoRaster }
  | { readonly kind: 'refusal'; readonly reason: string }
  | { readonly kind: 'error'; readonly reason: string };

const tags = { ready: 0, raster: 1, refusal: 2, error: 3 } as const;
const maxReasonLength = 1000;
const lengthBytes = 4;
const maxMessageBytes = 1 + 4 + 4 * logoLimits.side ** 2;

/**
 * Puts the length before the content. The server sends an image; the process sends messages, each a
 * tag and a body.
 */
export function frame(content: Uint8Array): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

export function encodeMessage(message: LogoMessage): Buffer {
  const tag = Buffer.from([tags[message.kind]]);
  switch (message.kind) {
    case 'ready':
      return frame(tag);
    case 'raster': {
      const { width, height, rgba } = message.raster;
      const size = Buffer.alloc(4);
      size.writeUInt16BE(width, 0);
      size.writeUInt16BE(height, 2);
      return frame(Buffer.concat([tag, size, rgba]));
    }
    default:
      return frame(Buffer.concat([tag, Buffer.from(message.reason.slice(0, maxReasonLength))]));
  }
}

/** Splits a stream into frames. Throws an Error when a frame is longer than allowed. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a chunk and returns the frames that are complete now. */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const complete: Buffer[] = [];
    while (this.#size >= lengthBytes) {
      const length = this.#head().readUInt32BE(0);
      if (length > this.#maxBytes) throw new Error(`a frame of ${length} bytes is too long`);
      if (this.#size < lengthBytes + length) break;
      const all = Buffer.concat(this.#chunks);
      complete.push(all.subarray(lengthBytes, lengthBytes + length));
      const rest = all.subarray(lengthBytes + length);
      this.#chunks = [rest];
      this.#size = rest.length;
    }
    return complete;
  }

  #head(): Buffer {
    if ((this.#chunks[0]?.length ?? 0) < lengthBytes) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }
}

export const imageReader = () => new FrameReader(logoLimits.rasterBytes);
export const messageReader = () => new FrameReader(maxMessageBytes);

/**
 * Decodes and checks a message. The process that wrote it has read untrusted bytes, so the message
 * is untrusted, too. Throws an Error when it is not a message.
 */
export function decodeMessage(content: Buffer): LogoMessage {
  const body = content.subarray(1);
  switch (content[0]) {
    case tags.ready:
      return { kind: 'ready' };
    case tags.raster: {
      if (body.length < 4) break;
      const [width, height] = [body.readUInt16BE(0), body.readUInt16BE(2)];
      const rgba = body.subarray(4);
      const { side, aspectRatio } = logoLimits;
      const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
      if (shorter < 1 || longer > side || longer > shorter * aspectRatio) break;
      if (rgba.length !== 4 * width * height) break;
      return { kind: 'raster', raster: { width, height, rgba } };
    }
    case tags.refusal:
      return { kind: 'refusal', reason: printable(body) };
    case tags.error:
      return { kind: 'error', reason: printable(body) };
  }
  throw new Error('the logo process sent an invalid message');
}

function printable(body: Buffer): string {
  return body.toString('utf8').slice(0, maxReasonLength).replace(/\p{C}/gu, '�');
}
