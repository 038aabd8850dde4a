import { setTimeout as wait } from 'node:timers/promises';
import { cutText, formatInstant, type Report, reportText } from '@shorty/report';
import { ConnectionError, ServerError, TimeoutError } from '@shorty/sdk';
import { UsageError } from '../cli-error.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { isRichTerminal, reportWidth } from '../io.js';

// The alternate screen keeps what the terminal showed before.
const enterScreen = '\u001b[?1049h\u001b[?25l';
const leaveScreen = '\u001b[?25h\u001b[?1049l';

/** Shows a report on the whole terminal and fetches it again every `seconds`, until Ctrl-C. */
export async function watchReport(
  { io, output }: Context,
  seconds: number,
  fetch: () => Promise<Report>,
): Promise<ExitCode> {
  const { stdout, interrupt } = io;
  if (!isRichTerminal(stdout, io.env)) throw new UsageError('--watch: stdout must be a terminal');
  // Before the screen changes, so that an error of the first request stays visible.
  let report = await fetch();
  let status = '';
  const draw = () => stdout.write(screenOf(report, status, output.hasColor, stdout));
  const update = () => {
    status = `${formatInstant(io.now())}, every ${seconds} s; Ctrl-C stops`;
    draw();
  };
  stdout.write(enterScreen);
  stdout.on('resize', draw);
  try {
    update();
    while (!interrupt.aborted) {
      await wait(seconds * 1000, undefined, { signal: interrupt }).catch(() => undefined);
      if (interrupt.aborted) break;
      try {
        report = await fetch();
        update();
      } catch (error) {
        if (interrupt.aborted) break;
        if (!isTemporary(error)) throw error;
        const reason =
          error instanceof ServerError ? `error ${error.status}` : 'no response from the server';
        status = `${reason}; trying again every ${seconds} s; Ctrl-C stops`;
        draw();
      }
    }
  } finally {
    stdout.off('resize', draw);
    stdout.write(leaveScreen);
  }
  return exitCodes.interrupted;
}

function isTemporary(error: unknown): error is Error {
  return (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof ServerError
  );
}

/** Draws over the screen before, and clears what is left of it. A long report loses its end. */
function screenOf(
  report: Report,
  status: string,
  hasColor: boolean,
  stdout: Context['io']['stdout'],
): string {
  const width = reportWidth(stdout);
  const lines = reportText(report, { width, hasColor }).trimEnd().split('\n');
  const statusLines = [cutText(status, width)];
  const shown = lines.slice(0, Math.max(0, (stdout.rows ?? 24) - 1 - statusLines.length));
  const rows = [...shown, '', ...statusLines];
  return `\u001b[H${rows.map((row) => `${row}\u001b[K`).join('\r\n')}\u001b[J`;
}
