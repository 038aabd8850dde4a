import type { Context } from '../context.js';
import { isRichTerminal } from '../io.js';

/** Lines on stderr that are updated in place. */
export interface LiveView {
  readonly isShown: boolean;
  show(lines: readonly string[]): void;
  close(): void;
}

export const noLiveView: LiveView = { isShown: false, show: () => {}, close: () => {} };

/** Opens a live view if stderr is a terminal. Elsewhere, it shows nothing. */
export async function openLiveView({ io, output }: Context): Promise<LiveView> {
  // Rows printed to the same terminal already show the progress.
  const showsRows = output.printsRows && io.stdout.isTTY === true;
  if (output.isQuiet || showsRows || !isRichTerminal(io.stderr, io.env)) return noLiveView;
  const { Box, render, Text } = await import('ink');
  const view = (lines: readonly string[]) => (
    <Box flexDirection="column">
      {lines.map((line) => (
        <Text key={line} wrap="truncate">
          {line}
        </Text>
      ))}
    </Box>
  );
  const app = render(view([]), {
    stdout: io.stderr as NodeJS.WriteStream,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    isShown: true,
    show: (lines) => app.rerender(view(lines)),
    close: () => {
      app.rerender(view([]));
      app.unmount();
    },
  };
}
