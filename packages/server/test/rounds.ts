import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** True in `npm run test:more`. */
    isRepeating: boolean;
  }
}

/** Returns how often a test repeats its rounds: once in `npm test`, `many` times in `test:more`. */
export const rounds = (many: number): number => (inject('isRepeating') ? many : 1);
