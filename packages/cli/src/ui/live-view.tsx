import type { Context } from '../context.js';
import { isRichTerminal } from '../io.js';

/** Lines on stderr that are updated in place, below the lines that are printed meanwhile. */
export interface LiveView {
  readonly isShown: boolean;
  show(lines: readonly string[]): void;
  /** Prints a permanent line above the lines. */
  log(text: string): void;
  close(): void;
}

/** Opens a live view if stderr is a terminal. Elsewhere, only permanent lines are printed. */
export async function openLiveView({ io, output }: Context): Promise<LiveView> {
  const printsRows = output.format === 'ndjson' || output.format === 'csv';
  // Rows printed to the same terminal already show the progress.
  const showsRows = printsRows && io.stdout.isTTY === true;
  if (output.isQuiet || showsRows || !isRichTerminal(io.stderr, io.env)) {
    return { isShown: false, show: () => {}, log: (text) => output.warn(text), close: () => {} };
  }
  const { Box, render, Static, Text } = await import('ink');
  const { printable } = await import('@shorty/report');
  let logged: readonly string[] = [];
  let shown: readonly string[] = [];
  const view = () => (
    <>
      <Static items={[...logged]}>{(line, index) => <Text key={index}>{line}</Text>}</Static>
      <Box flexDirection="column">
        {shown.map((line) => (
          <Text key={line} wrap="truncate">
            {line}
          </Text>
        ))}
      </Box>
    </>
  );
  const app = render(view(), {
    stdout: io.stderr as NodeJS.WriteStream,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    isShown: true,
    show: (lines) => {
      shown = lines;
      app.rerender(view());
    },
    log: (text) => {
      logged = [...logged, printable(text)];
      app.rerender(view());
    },
    close: () => {
      shown = [];
      app.rerender(view());
      app.unmount();
    },
  };
}
