import type { Context } from '../context.js';
import { isRichTerminal } from '../io.js';

/** Lines at the end of a terminal that are updated in place. */
export interface LiveView {
  readonly isShown: boolean;
  show(lines: readonly string[]): void;
  close(): void;
}

export const noLiveView: LiveView = { isShown: false, show: () => {}, close: () => {} };

/** Opens a live view of progress if stderr is a terminal. Elsewhere, it shows nothing. */
export async function openLiveView({ io, output }: Context): Promise<LiveView> {
  // Rows printed to the same terminal already show the progress.
  const showsRows = output.printsRows && io.stdout.isTTY === true;
  if (output.isQuiet || showsRows || !isRichTerminal(io.stderr, io.env)) return noLiveView;
  return (await import('./live-lines.js')).renderLiveLines(io.stderr, io.stderr);
}

/** Opens a live view below what is printed if stdout is a terminal. Elsewhere, it shows nothing. */
export async function openStatusLine({ io, output }: Context): Promise<LiveView> {
  if (output.isQuiet || !isRichTerminal(io.stdout, io.env)) return noLiveView;
  return (await import('./live-lines.js')).renderLiveLines(io.stdout, io.stderr, output);
}
