import { render } from 'ink';
import type { Io } from '../io.js';
import type { BrowseApi } from './browse-api.js';
import { BrowseScreen } from './browse-screen.js';

// The alternate screen keeps what the terminal showed before.
const enterScreen = '\u001b[?1049h\u001b[H';
const leaveScreen = '\u001b[?1049l';

/** Shows the list of links until the user quits. Returns whether Ctrl-C or a signal ended it. */
export async function mountBrowse(api: BrowseApi, search: string, io: Io): Promise<boolean> {
  let isInterrupted = false;
  io.stdout.write(enterScreen);
  const view = render(<BrowseScreen api={api} initialSearch={search} now={io.now} />, {
    stdout: io.stdout as NodeJS.WriteStream,
    stdin: io.stdin as NodeJS.ReadStream,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const interrupt = () => {
    isInterrupted = true;
    view.unmount();
  };
  // In raw mode, Ctrl-C arrives as a character.
  const onData = (text: string | Buffer) => {
    if (String(text).includes('\u0003')) interrupt();
  };
  io.stdin.on('data', onData);
  io.interrupt.addEventListener('abort', interrupt);
  try {
    await view.waitUntilExit();
  } finally {
    io.stdin.off('data', onData);
    io.interrupt.removeEventListener('abort', interrupt);
    io.stdout.write(leaveScreen);
  }
  return isInterrupted;
}
