import { type LogoRaster, logoLimits } from './logo-limits.js';

/** What the logo process says. `ready` comes first; then one of the others, once. */
export type LogoAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'raster'; readonly raster: LogoRaster }
  | { readonly kind: 'refusal'; readonly reason: string }
  | { readonly kind: 'fault'; readonly reason: string };

const tags = { ready: 0, raster: 1, refusal: 2, fault: 3 } as const;
const longestReason = 1000;
const lengthBytes = 4;
const largestAnswer = 1 + 4 + 4 * logoLimits.side ** 2;

/** A request is the image, an answer is a tag and its content; both follow their length. */
export function frame(content: Uint8Array): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

export function encodeAnswer(answer: LogoAnswer): Buffer {
  const tag = Buffer.from([tags[answer.kind]]);
  switch (answer.kind) {
    case 'ready':
      return frame(tag);
    case 'raster': {
      const { width, height, rgba } = answer.raster;
      const size = Buffer.alloc(4);
      size.writeUInt16BE(width, 0);
      size.writeUInt16BE(height, 2);
      return frame(Buffer.concat([tag, size, rgba]));
    }
    default:
      return frame(Buffer.concat([tag, Buffer.from(answer.reason.slice(0, longestReason))]));
  }
}

/** Puts the frames of a stream together; throws an Error when one is longer than allowed. */
export class FrameReader {
  readonly #longest: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Adds a chunk and returns the frames that are whole now. */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const whole: Buffer[] = [];
    while (this.#size >= lengthBytes) {
      const length = this.#head().readUInt32BE(0);
      if (length > this.#longest) throw new Error(`a frame of ${length} bytes is too long`);
      if (this.#size < lengthBytes + length) break;
      const all = Buffer.concat(this.#chunks);
      whole.push(all.subarray(lengthBytes, lengthBytes + length));
      const rest = all.subarray(lengthBytes + length);
      this.#chunks = [rest];
      this.#size = rest.length;
    }
    return whole;
  }

  #head(): Buffer {
    if ((this.#chunks[0]?.length ?? 0) < lengthBytes) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }
}

export const requestReader = () => new FrameReader(logoLimits.rasterBytes);
export const answerReader = () => new FrameReader(largestAnswer);

/**
 * Reads an answer. The process that wrote it has read foreign bytes, so that nothing is taken for
 * granted; throws an Error when it is not an answer.
 */
export function decodeAnswer(content: Buffer): LogoAnswer {
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
    case tags.fault:
      return { kind: 'fault', reason: printable(body) };
  }
  throw new Error('the logo process sent something that is no answer');
}

function printable(body: Buffer): string {
  return body.toString('utf8').slice(0, longestReason).replace(/\p{C}/gu, '�');
}
