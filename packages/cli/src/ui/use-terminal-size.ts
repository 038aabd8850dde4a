import { useStdout } from 'ink';
import { useEffect, useState } from 'react';

const defaultSize = { columns: 80, rows: 24 };

/** Returns the size of the terminal, and renders again when it changes. */
export function useTerminalSize(): { readonly columns: number; readonly rows: number } {
  const { stdout } = useStdout();
  const read = () => ({
    columns: stdout.columns ?? defaultSize.columns,
    rows: stdout.rows ?? defaultSize.rows,
  });
  const [size, setSize] = useState(read);
  useEffect(() => {
    const update = () => setSize(read());
    stdout.on('resize', update);
    return () => void stdout.off('resize', update);
  });
  return size;
}
