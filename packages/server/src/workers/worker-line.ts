import type { Worker } from 'node:cluster';
import type { Line } from './channel.js';

/** Either end of what Node has laid between a primary and a process that it started. */
export function lineOf(worker: Worker): Line {
  return {
    send: (message, onSent) => {
      worker.send(message as object, onSent);
    },
    onMessage: (listener) => {
      worker.on('message', listener);
    },
  };
}
