import { Box, Static, Text, type TextProps, useStdout } from 'ink';
import { useEffect, useState } from 'react';
import { formatDuration, formatNumber, printable } from '../format.js';
import { type ImportProgress, rowsPerSecond, timeLeftMs } from '../import/import-progress.js';

const refreshMs = 100;
const widestBar = 30;
const narrowestBar = 10;
// The maximum width of the text beside the bar.
const numbersWidth = 50;

const colored = {
  done: { color: 'green' },
  faint: { dimColor: true },
  failed: { color: 'red' },
  warning: { color: 'yellow' },
} satisfies Styles;
const plain: Styles = { done: {}, faint: {}, failed: {}, warning: {} };

type Styles = Readonly<Record<'done' | 'faint' | 'failed' | 'warning', TextProps>>;

interface Props {
  readonly progress: ImportProgress;
  /** Log lines above the view. The list only grows. */
  readonly lines: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly hasColor: boolean;
  readonly isOver?: boolean;
}

export function ImportScreen({ progress, lines, now, hasColor, isOver = false }: Props) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), refreshMs);
    return () => clearInterval(timer);
  }, []);
  const numbered = lines.map((text, index) => ({ key: `${index}`, text }));
  return (
    <>
      <Static items={numbered}>{({ key, text }) => <Text key={key}>{text}</Text>}</Static>
      {isOver ? null : (
        <Progress progress={progress} now={now()} styles={hasColor ? colored : plain} />
      )}
    </>
  );
}

interface ProgressProps {
  readonly progress: ImportProgress;
  readonly now: number;
  readonly styles: Styles;
}

function Progress({ progress, now, styles }: ProgressProps) {
  const { columns } = useStdout().stdout;
  const barWidth = Math.max(narrowestBar, Math.min(widestBar, columns - numbersWidth));
  const { bytesRead, bytesTotal, rows, failed, retrying } = progress;
  const share = bytesTotal === 0 ? 0 : Math.min(1, bytesRead / bytesTotal);
  const filled = Math.round(share * barWidth);
  const left = timeLeftMs(progress, now);
  return (
    <Box flexDirection="column">
      <Text>
        <Text {...styles.done}>{'━'.repeat(filled)}</Text>
        <Text {...styles.faint}>{'─'.repeat(barWidth - filled)}</Text>
        {` ${Math.floor(share * 100)}%  `}
        {formatNumber(rows)} rows
        <Text {...styles.faint}>{`  ${formatNumber(rowsPerSecond(progress, now))}/s`}</Text>
        {failed > 0 ? <Text {...styles.failed}>{`  ${formatNumber(failed)} failed`}</Text> : null}
        {left === undefined ? null : (
          <Text {...styles.faint}>{`  ${formatDuration(left)} left`}</Text>
        )}
      </Text>
      {retrying ? (
        <Text {...styles.warning}>
          no response from the server, retrying for {formatDuration(now - retrying.since)} (
          {printable(retrying.reason)})
        </Text>
      ) : null}
    </Box>
  );
}
