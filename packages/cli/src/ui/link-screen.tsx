import { cutText, formatCount, formatInstant, linkReport, timeChart } from '@shorty/report';
import type { UrlClicks, UrlRecord } from '@shorty/sdk';
import { Box, Text, useInput } from 'ink';
import { useEffect, useState } from 'react';
import type { BrowseApi } from './browse-api.js';
import { useTerminalSize } from './use-terminal-size.js';

const refreshMs = 2000;
const chartHeight = 5;
// The lines about the link, of the status and of the keys.
const otherRows = 6;
const keys = 'o open   c copy   p pause or resume   esc back';

interface Props {
  readonly api: BrowseApi;
  readonly id: string;
  readonly now: () => number;
  readonly onBack: () => void;
}

/** One link with its live clicks. */
export function LinkScreen({ api, id, now, onBack }: Props) {
  const { columns, rows } = useTerminalSize();
  const { link, clicks, error, setLink } = useLiveLink(api, id);
  const [status, setStatus] = useState('');

  const act = async (done: string, work: () => PromiseLike<unknown>) => {
    try {
      await work();
      setStatus(done);
    } catch (caught) {
      setStatus((caught as Error).message);
    }
  };
  useInput((input, key) => {
    if (key.escape) return onBack();
    if (!link) return;
    const { shortUrl, isActive } = link;
    if (input === 'o') void act(`opened ${shortUrl}`, () => api.open(shortUrl));
    if (input === 'c') void act(`copied ${shortUrl}`, () => api.copy(shortUrl));
    if (input === 'p') {
      void act(isActive ? 'paused' : 'resumed', async () =>
        setLink(await api.setActive(id, !isActive)),
      );
    }
  });

  const width = columns - 1;
  if (!link) return <Text>{cutText(error ?? 'loading ...', width)}</Text>;
  const height = Math.max(1, rows - otherRows - 2);
  const lines = clickLines(clicks, now(), width).slice(0, height);
  return (
    <Box flexDirection="column">
      <Text bold>{cutText(`${link.shortUrl}${link.title ? `  ${link.title}` : ''}`, width)}</Text>
      <Text>{cutText(`→ ${link.targetUrl}`, width)}</Text>
      <Text dimColor>{cutText(describeLink(link), width)}</Text>
      <Text> </Text>
      <Text>{lines.join('\n')}</Text>
      <Text> </Text>
      <Text color="yellow">{cutText(error ?? status, width) || ' '}</Text>
      <Text dimColor>{cutText(keys, width)}</Text>
    </Box>
  );
}

function describeLink({ isActive, clickCount, createdAt, tags }: UrlRecord): string {
  const parts = [
    isActive ? 'active' : 'paused',
    `${formatCount(clickCount, 'click')} in total`,
    `created ${formatInstant(Date.parse(createdAt))}`,
  ];
  if (tags.length > 0) parts.push(tags.join(', '));
  return parts.join('   ');
}

function clickLines(clicks: UrlClicks | undefined, now: number, width: number): string[] {
  if (!clicks) return ['loading clicks ...'];
  const { totals } = clicks;
  const head = `last 24 hours: ${formatCount(totals.totalClicks, 'click')}, ${formatCount(totals.uniqueClicks, 'visitor')}   ${formatInstant(now)}`;
  const chart = timeChart(linkReport(clicks, 'hour'), { width, height: chartHeight });
  if (!chart) return [cutText(head, width)];
  const bars = chart.rows.map((row) => row.scale + row.bars);
  return [cutText(head, width), '', ...bars, chart.times];
}

/** Reads a link and its clicks every two seconds. */
function useLiveLink(api: BrowseApi, id: string) {
  const [link, setLink] = useState<UrlRecord>();
  const [clicks, setClicks] = useState<UrlClicks>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    let isMounted = true;
    let timer: NodeJS.Timeout | undefined;
    const update = async () => {
      try {
        const [newLink, newClicks] = await Promise.all([api.read(id), api.clicks(id)]);
        if (!isMounted) return;
        setLink(newLink);
        setClicks(newClicks);
        setError(undefined);
      } catch (caught) {
        if (isMounted) setError((caught as Error).message);
      }
      if (isMounted) timer = setTimeout(update, refreshMs);
    };
    void update();
    return () => {
      isMounted = false;
      clearTimeout(timer);
    };
  }, [api, id]);
  return { link, clicks, error, setLink };
}
