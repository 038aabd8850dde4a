import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect garbage early. Without it, the peak memory of 100,000 rows is a third higher than
 * that of 10,000 rows; with it, 5 % higher.
 */
export function limitMemory(): void {
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
}
