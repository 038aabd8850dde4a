import type { Line } from '../../src/workers/channel.js';

export interface Pair {
  readonly primary: Line;
  readonly process: Line;
  /** Whether messages arrive; those that are sent meanwhile arrive later. */
  hold(isHeld: boolean): void;
}

/** Two ends of one line within this process: what is sent arrives in a later turn, as text. */
export function pairedLines(): Pair {
  const listeners: { primary?: (message: unknown) => void; process?: (message: unknown) => void } =
    {};
  let held: (() => void)[] | undefined;
  const end = (own: 'primary' | 'process', other: 'primary' | 'process'): Line => ({
    send(message, onSent) {
      const text = JSON.stringify(message);
      const arrive = () => listeners[other]?.(JSON.parse(text));
      setImmediate(() => {
        if (held) held.push(arrive);
        else arrive();
      });
      onSent(null);
    },
    onMessage(listener) {
      listeners[own] = listener;
    },
  });
  return {
    primary: end('primary', 'process'),
    process: end('process', 'primary'),
    hold(isHeld) {
      const late = held ?? [];
      held = isHeld ? [] : undefined;
      for (const arrive of late) arrive();
    },
  };
}
