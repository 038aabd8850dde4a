import { render } from 'ink';
import type { ImportProgress } from '../import/import-progress.js';
import type { Io } from '../io.js';
import { ImportScreen } from './import-screen.js';

export interface ImportView {
  /** Prints a line above the view. */
  log(line: string): void;
  /** Removes the view from the terminal. */
  stop(): Promise<void>;
}

/** Mounts the live view of an import on stderr. */
export function mountImportView(progress: ImportProgress, io: Io, hasColor: boolean): ImportView {
  const lines: string[] = [];
  const shown = { progress, now: io.now, hasColor };
  const view = render(<ImportScreen {...shown} lines={lines} />, {
    stdout: io.stderr as NodeJS.WriteStream,
    stdin: io.stdin as NodeJS.ReadStream,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 10,
  });
  return {
    log: (line) => lines.push(line),
    stop: async () => {
      view.rerender(<ImportScreen {...shown} lines={[...lines]} isOver />);
      view.unmount();
      await view.waitUntilExit();
    },
  };
}
