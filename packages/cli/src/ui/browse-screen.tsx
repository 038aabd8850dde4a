import {
  cutText,
  displayWidth,
  fitText,
  formatCount,
  formatInstant,
  linkReport,
  printable,
  timeChart,
} from '@shorty/report';
import type { UrlClicks, UrlRecord } from '@shorty/sdk';
import { Box, render, Text, useApp, useInput, useStdout } from 'ink';
import { useEffect, useReducer, useState } from 'react';
import { type Io, terminalColumns } from '../io.js';
import { interrupted } from '../prompt.js';

/** What the screens of `shorty browse` read and do. */
export interface BrowseApi {
  /** Lists links that contain the text, newest first. */
  list(
    search: string,
    offset: number,
    signal: AbortSignal,
  ): PromiseLike<{ readonly total: number; readonly items: readonly UrlRecord[] }>;
  read(id: string): PromiseLike<UrlRecord>;
  /** Reads the clicks of the last 24 hours by hour. */
  clicks(id: string): PromiseLike<UrlClicks>;
  setActive(id: string, isActive: boolean): PromiseLike<UrlRecord>;
  open(url: string): PromiseLike<void>;
  copy(text: string): PromiseLike<void>;
}

// The lines of the search field, of the status and of the space between.
const otherRowsOfList = 4;
// The lines about the link, of the status and of the keys, and the spaces between.
const otherRowsOfLink = 8;
const widestName = 32;
const refreshMs = 2000;
const searchDelayMs = 150;
const chartHeight = 5;
// The alternate screen keeps what the terminal showed before.
const enterScreen = '\u001b[?1049h\u001b[H';
const leaveScreen = '\u001b[?1049l';

/** Shows the list of links until the user quits, or a signal ends it. Rejects after Ctrl-C. */
export async function showBrowse(api: BrowseApi, search: string, io: Io): Promise<void> {
  io.stdout.write(enterScreen);
  const view = render(<BrowseScreen api={api} initialSearch={search} now={io.now} />, {
    stdout: io.stdout as NodeJS.WriteStream,
    stdin: io.stdin as NodeJS.ReadStream,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const end = () => view.unmount();
  io.interrupt.addEventListener('abort', end);
  try {
    await view.waitUntilExit();
  } finally {
    io.interrupt.removeEventListener('abort', end);
    io.stdout.write(leaveScreen);
  }
}

interface ScreenProps {
  readonly api: BrowseApi;
  readonly initialSearch: string;
  readonly now: () => number;
}

/** A searchable list of links. Enter opens the selected one. */
export function BrowseScreen({ api, initialSearch, now }: ScreenProps) {
  const { exit } = useApp();
  const { stdout } = useStdout();
  const [links, change] = useLinks(api, initialSearch);
  const { items, openId, search, selected } = links;

  const move = (step: number) => change((before) => ({ selected: before.selected + step }));
  const edit = (toText: (search: string) => string) =>
    change((before) => ({ search: toText(before.search), selected: 0 }));
  useInput((input, key) => {
    if (key.ctrl && input === 'c') exit(interrupted());
    else if (openId !== undefined) return;
    else if (key.escape) exit();
    else if (key.return) change((before) => ({ openId: before.items[before.selected]?.id }));
    else if (key.upArrow) move(-1);
    else if (key.downArrow) move(1);
    else if (key.backspace || key.delete) edit((text) => [...text].slice(0, -1).join(''));
    else if (!key.ctrl && !key.meta && !key.tab) edit((text) => text + printable(input));
  });

  const [, resize] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    stdout.on('resize', resize);
    return () => void stdout.off('resize', resize);
  }, [stdout]);
  const width = terminalColumns(stdout) - 1;
  const rows = stdout.rows || 24;
  if (openId !== undefined) {
    const back = () => change(() => ({ openId: undefined }));
    return <LinkScreen {...{ api, now, width, rows }} id={openId} onBack={back} />;
  }
  const height = Math.max(1, rows - otherRowsOfList);
  const first = Math.max(0, Math.min(selected - height + 1, items.length - height));
  const shown = items.slice(first, first + height);
  const names = shown.map((item) => displayWidth(nameOf(item)));
  const nameWidth = Math.min(widestName, Math.max(0, ...names));
  return (
    <Box flexDirection="column">
      <Text>{cutText(`Search: ${search}▏`, width)}</Text>
      <Text dimColor>{cutText(describeList(links), width)}</Text>
      {shown.map((item, index) => {
        const isSelected = first + index === selected;
        const state = item.isActive ? '' : ' (paused)';
        const title = item.title ? `${item.title}  ` : '';
        const text = `${isSelected ? '›' : ' '} ${fitText(nameOf(item), nameWidth)}  ${title}${item.targetUrl}${state}`;
        return (
          <Text key={item.id} inverse={isSelected} dimColor={!item.isActive}>
            {fitText(text, width)}
          </Text>
        );
      })}
      <Text dimColor>{cutText('↑ ↓ select   enter show   esc quit', width)}</Text>
    </Box>
  );
}

function describeList({ items, total, error }: ReturnType<typeof useLinks>[0]): string {
  if (error !== undefined) return error;
  if (total === undefined) return 'loading ...';
  return total === 0 && items.length === 0 ? 'no link found' : formatCount(total, 'link');
}

function nameOf({ shortUrl }: UrlRecord): string {
  return shortUrl.replace(/^https?:\/\//, '');
}

interface LinkProps extends Pick<ScreenProps, 'api' | 'now'> {
  readonly id: string;
  readonly width: number;
  readonly rows: number;
  readonly onBack: () => void;
}

/** One link with its live clicks. */
function LinkScreen({ api, id, now, width, rows, onBack }: LinkProps) {
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
    if (input === 'c' && !key.ctrl) void act(`copied ${shortUrl}`, () => api.copy(shortUrl));
    if (input === 'p') {
      void act(isActive ? 'paused' : 'resumed', async () =>
        setLink(await api.setActive(id, !isActive)),
      );
    }
  });

  if (!link) return <Text>{cutText(error ?? 'loading ...', width)}</Text>;
  const chart = clickLines(clicks, now(), width).slice(0, Math.max(1, rows - otherRowsOfLink));
  return (
    <Box flexDirection="column">
      <Text bold>{cutText(`${link.shortUrl}${link.title ? `  ${link.title}` : ''}`, width)}</Text>
      <Text>{cutText(`→ ${link.targetUrl}`, width)}</Text>
      <Text dimColor>{cutText(describeLink(link), width)}</Text>
      <Text> </Text>
      <Text>{chart.join('\n')}</Text>
      <Text> </Text>
      <Text color="yellow">{cutText(error ?? status, width) || ' '}</Text>
      <Text dimColor>{cutText('o open   c copy   p pause or resume   esc back', width)}</Text>
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

interface Links {
  readonly search: string;
  readonly items: readonly UrlRecord[];
  /** Undefined until the first page was read. */
  readonly total?: number;
  readonly error?: string | undefined;
  /** The index in `items`. */
  readonly selected: number;
  /** The id of the link that is shown. */
  readonly openId?: string | undefined;
}

/** Returns what a change makes of a state. Keys may arrive in bursts, between two renderings. */
type Change = (links: Links) => Partial<Links>;

function apply(links: Links, change: Change): Links {
  const next = { ...links, ...change(links) };
  return { ...next, selected: Math.max(0, Math.min(next.items.length - 1, next.selected)) };
}

/** Returns the links of a search, which are read page by page, and a function that changes them. */
function useLinks(api: BrowseApi, initialSearch: string): [Links, (change: Change) => void] {
  const [links, change] = useReducer(apply, { search: initialSearch, items: [], selected: 0 });
  const { search, items, total = 0, selected, openId } = links;

  const read = (offset: number, delayMs: number) => {
    const request = new AbortController();
    const timer = setTimeout(async () => {
      let result: Change;
      try {
        const page = await api.list(search, offset, request.signal);
        result = (before) => ({
          items: [...before.items.slice(0, offset), ...page.items],
          total: page.total,
          error: undefined,
        });
      } catch (error) {
        result = () => ({ error: (error as Error).message });
      }
      if (!request.signal.aborted) change(result);
    }, delayMs);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  };
  const isOpen = openId !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new search, and the way back to the list.
  useEffect(() => (isOpen ? undefined : read(0, searchDelayMs)), [search, isOpen]);
  const needsMore = !isOpen && selected === items.length - 1 && items.length < total;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of what was read.
  useEffect(() => (needsMore ? read(items.length, 0) : undefined), [needsMore, items.length]);
  return [links, change];
}
