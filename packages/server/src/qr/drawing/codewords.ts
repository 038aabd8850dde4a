import type { QrMatrix } from './qr-matrix.js';

/** Which codeword each module is a bit of, and -1 for modules that carry no data. */
export function codewordOfModule({ side, reserved, codewordCount }: QrMatrix): Int16Array {
  const codewords = new Int16Array(side * side).fill(-1);
  let bit = 0;
  let isUpwards = true;
  // Pairs of columns from the right, up and down in turn: ISO/IEC 18004:2015, 7.7.3.
  for (let pair = side - 1; pair > 0; pair -= 2) {
    if (pair === 6) pair = 5;
    for (let step = 0; step < side; step += 1) {
      const row = (isUpwards ? side - 1 - step : step) * side;
      for (const index of [row + pair, row + pair - 1]) {
        if (reserved[index]) continue;
        const codeword = bit >> 3;
        if (codeword < codewordCount) codewords[index] = codeword;
        bit += 1;
      }
    }
    isUpwards = !isUpwards;
  }
  return codewords;
}

/** The Reed-Solomon block of each codeword, in the order of the matrix: 7.6 of the same. */
export function blockOfCodeword(matrix: QrMatrix): (codeword: number) => number {
  const { blockCount, codewordCount, correctionPerBlock } = matrix;
  const data = codewordCount - blockCount * correctionPerBlock;
  const longBlocks = codewordCount % blockCount;
  const interleaved = data - longBlocks;
  return (codeword) => {
    if (codeword < interleaved) return codeword % blockCount;
    // The last data codewords are those of the blocks that have one more.
    if (codeword < data) return blockCount - longBlocks + (codeword - interleaved);
    return (codeword - data) % blockCount;
  };
}
