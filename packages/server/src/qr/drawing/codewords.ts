import type { QrMatrix } from './qr-matrix.js';

/** Returns the codeword of each module, and -1 for modules without data. */
export function codewordOfModule({ side, reserved, codewordCount }: QrMatrix): Int16Array {
  const codewords = new Int16Array(side * side).fill(-1);
  let bit = 0;
  let isUpwards = true;
  // Pairs of columns from the right, alternately up and down: ISO/IEC 18004:2015, 7.7.3.
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

/** Returns the Reed-Solomon block of a codeword: ISO/IEC 18004:2015, 7.6. */
export function blockOfCodeword(matrix: QrMatrix): (codeword: number) => number {
  const { blockCount, correctionPerBlock, codewordCount } = matrix;
  const data = codewordCount - blockCount * correctionPerBlock;
  const longBlocks = codewordCount % blockCount;
  const interleaved = data - longBlocks;
  return (codeword) => {
    if (codeword < interleaved) return codeword % blockCount;
    // The last data codewords belong to the blocks that have one codeword more.
    if (codeword < data) return blockCount - longBlocks + (codeword - interleaved);
    return (codeword - data) % blockCount;
  };
}
