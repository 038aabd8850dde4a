import { Box, Static, Text } from 'ink';
import { useEffect, useState } from 'react';
import { formatDuration, formatNumber, printable } from '../format.js';
import { type ImportProgress, rowsPerSecond, timeLeftMs } from '../import/import-progress.js';

const refreshMs = 100;
const barWidth = 30;

interface Props {
  readonly progress: ImportProgress;
  /** Lines above the view, only ever added to. */
  readonly lines: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly isOver?: boolean;
}

export function ImportScreen({ progress, lines, now, isOver = false }: Props) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), refreshMs);
    return () => clearInterval(timer);
  }, []);
  const numbered = lines.map((text, index) => ({ key: `${index}`, text }));
  return (
    <>
      <Static items={numbered}>{({ key, text }) => <Text key={key}>{text}</Text>}</Static>
      {isOver ? null : <Progress progress={progress} now={now()} />}
    </>
  );
}

function Progress({ progress, now }: { progress: ImportProgress; now: number }) {
  const { bytesRead, bytesTotal, rows, failed, retrying } = progress;
  const share = bytesTotal === 0 ? 0 : Math.min(1, bytesRead / bytesTotal);
  const filled = Math.round(share * barWidth);
  const left = timeLeftMs(progress, now);
  return (
    <Box flexDirection="column">
      <Text>
        <Text color="green">{'━'.repeat(filled)}</Text>
        <Text dimColor>{'━'.repeat(barWidth - filled)}</Text>
        {` ${Math.floor(share * 100)}%  `}
        {formatNumber(rows)} rows
        <Text dimColor>{`  ${formatNumber(rowsPerSecond(progress, now))}/s`}</Text>
        {failed > 0 ? <Text color="red">{`  ${formatNumber(failed)} failed`}</Text> : null}
        {left === undefined ? null : <Text dimColor>{`  ${formatDuration(left)} left`}</Text>}
      </Text>
      {retrying ? (
        <Text color="yellow">
          server not answering, retrying since {formatDuration(now - retrying.since)} (
          {printable(retrying.reason)})
        </Text>
      ) : null}
    </Box>
  );
}
