import { Box, render, Text, useStderr, useStdout } from 'ink';
import { useLayoutEffect } from 'react';
import type { OutputStream } from '../io.js';
import type { Output } from '../output.js';

interface LinesProps {
  readonly lines: readonly string[];
  /** The output that is printed above the lines. */
  readonly above?: Output | undefined;
}

/** Renders a live view to a stream. */
export function renderLiveLines(stdout: OutputStream, stderr: OutputStream, above?: Output) {
  const app = render(<Lines lines={[]} above={above} />, {
    stdout: stdout as NodeJS.WriteStream,
    stderr: stderr as NodeJS.WriteStream,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const show = (lines: readonly string[]) => app.rerender(<Lines lines={lines} above={above} />);
  const close = () => {
    show([]);
    app.unmount();
  };
  return { isShown: true, show, close };
}

function Lines({ lines, above }: LinesProps) {
  const { write } = useStdout();
  const { write: warn } = useStderr();
  useLayoutEffect(() => above?.writeBy({ write, warn }), [above, write, warn]);
  return (
    <Box flexDirection="column">
      {lines.map((line) => (
        <Text key={line} wrap="truncate">
          {line}
        </Text>
      ))}
    </Box>
  );
}
