import { useStdout } from 'ink';
import { useEffect, useState } from 'react';
import { terminalColumns } from '../io.js';

const defaultRows = 24;

/** Returns the size of the terminal, and renders again when it changes. */
export function useTerminalSize(): { readonly columns: number; readonly rows: number } {
  const { stdout } = useStdout();
  const read = () => ({
    columns: terminalColumns(stdout),
    rows: stdout.rows || defaultRows,
  });
  const [size, setSize] = useState(read);
  useEffect(() => {
    const update = () => setSize(read());
    stdout.on('resize', update);
    return () => void stdout.off('resize', update);
  });
  return size;
}
