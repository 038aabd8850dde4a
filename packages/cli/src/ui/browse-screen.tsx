import {
  cutText,
  displayWidth,
  fitText,
  formatCount,
  formatNumber,
  printable,
} from '@shorty/report';
import type { UrlRecord } from '@shorty/sdk';
import { Box, render, Text, useApp, useInput, useStdout } from 'ink';
import { useEffect, useReducer, useRef } from 'react';
import { type Io, terminalColumns } from '../io.js';
import { interrupted } from '../prompt.js';

/** What the screen of `shorty browse` reads and does. */
export interface BrowseApi {
  /** Lists links that contain the text, newest first. */
  list(
    search: string,
    offset: number,
    signal: AbortSignal,
  ): PromiseLike<{ readonly total: number; readonly items: readonly UrlRecord[] }>;
  setActive(id: string, isActive: boolean): PromiseLike<UrlRecord>;
  open(url: string): PromiseLike<void>;
  copy(text: string): PromiseLike<void>;
}

// The lines of the search field, of the status, of the keys and of the space below.
const otherRows = 4;
const widestName = 32;
const searchDelayMs = 150;
// The alternate screen keeps what the terminal showed before.
const enterScreen = '\u001b[?1049h\u001b[H';
const leaveScreen = '\u001b[?1049l';

/** Shows the list of links until the user quits, or a signal ends it. Rejects after Ctrl-C. */
export async function showBrowse(api: BrowseApi, search: string, io: Io): Promise<void> {
  io.stdout.write(enterScreen);
  const view = render(<BrowseScreen api={api} initialSearch={search} />, {
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
}

/** A searchable list of links. Keys open, copy, pause and resume the selected one. */
export function BrowseScreen({ api, initialSearch }: ScreenProps) {
  const { exit } = useApp();
  const { stdout } = useStdout();
  const [state, change] = useLinks(api, initialSearch);
  const { items, search, selected } = state.current;

  const move = (step: number) => change((before) => ({ selected: before.selected + step }));
  const edit = (toText: (search: string) => string) =>
    change((before) => ({ search: toText(before.search), selected: 0 }));
  const act = async (work: (link: UrlRecord) => Promise<string>) => {
    const link = state.current.items[state.current.selected];
    if (!link) return;
    const status = await work(link).catch((error: Error) => error.message);
    change(() => ({ status }));
  };
  const toggle = async ({ id, isActive, shortUrl }: UrlRecord) => {
    const changed = await api.setActive(id, !isActive);
    change((before) => ({
      items: before.items.map((each) => (each.id === id ? changed : each)),
    }));
    return `${isActive ? 'paused' : 'resumed'} ${shortUrl}`;
  };
  useInput((input, key) => {
    if (key.ctrl && input === 'c') exit(interrupted());
    else if (key.ctrl && input === 'o') {
      void act(async ({ shortUrl }) => api.open(shortUrl).then(() => `opened ${shortUrl}`));
    } else if (key.ctrl && input === 'y') {
      void act(async ({ shortUrl }) => api.copy(shortUrl).then(() => `copied ${shortUrl}`));
    } else if (key.ctrl && input === 'p') void act(toggle);
    else if (key.escape) exit();
    else if (key.upArrow) move(-1);
    else if (key.downArrow) move(1);
    else if (key.backspace || key.delete) edit((text) => [...text].slice(0, -1).join(''));
    else if (!key.ctrl && !key.meta && !key.tab && !key.return) {
      edit((text) => text + printable(input));
    }
  });

  const [, resize] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    stdout.on('resize', resize);
    return () => void stdout.off('resize', resize);
  }, [stdout]);
  const width = terminalColumns(stdout) - 1;
  const height = Math.max(1, (stdout.rows || 24) - otherRows);
  const first = Math.max(0, Math.min(selected - height + 1, items.length - height));
  const shown = items.slice(first, first + height);
  const nameWidth = Math.min(widestName, widest(shown.map(nameOf)));
  const countWidth = widest(shown.map(({ clickCount }) => formatNumber(clickCount)));
  return (
    <Box flexDirection="column">
      <Text>{cutText(`Search: ${search}▏`, width)}</Text>
      <Text dimColor>{cutText(describeState(state.current), width)}</Text>
      {shown.map((item, index) => {
        const isSelected = first + index === selected;
        const paused = item.isActive ? '' : ' (paused)';
        const title = item.title ? `${item.title}  ` : '';
        const clicks = formatNumber(item.clickCount).padStart(countWidth);
        const text = `${isSelected ? '›' : ' '} ${fitText(nameOf(item), nameWidth)}  ${clicks}  ${title}${item.targetUrl}${paused}`;
        return (
          <Text key={item.id} inverse={isSelected} dimColor={!item.isActive}>
            {fitText(text, width)}
          </Text>
        );
      })}
      <Text dimColor>
        {cutText('↑ ↓ select   ^O open   ^Y copy   ^P pause or resume   esc quit', width)}
      </Text>
    </Box>
  );
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(displayWidth));
}

function describeState({ items, total, status }: Links): string {
  if (status !== undefined) return status;
  if (total === undefined) return 'loading ...';
  return total === 0 && items.length === 0 ? 'no link found' : formatCount(total, 'link');
}

function nameOf({ shortUrl }: UrlRecord): string {
  return shortUrl.replace(/^https?:\/\//, '');
}

interface Links {
  readonly search: string;
  readonly items: readonly UrlRecord[];
  /** Undefined until the first page was read. */
  readonly total?: number;
  /** What the last key did, or why it or a request failed. */
  readonly status?: string | undefined;
  /** The index in `items`. */
  readonly selected: number;
}

/** Returns what a change makes of a state. Keys may arrive in bursts, between two renderings. */
type Change = (links: Links) => Partial<Links>;

/** Returns the links of a search, which are read page by page, and a function that changes them. */
function useLinks(api: BrowseApi, initialSearch: string) {
  const state = useRef<Links>({ search: initialSearch, items: [], selected: 0 });
  const [, show] = useReducer((count: number) => count + 1, 0);
  const change = (toPart: Change) => {
    const next = { ...state.current, status: undefined, ...toPart(state.current) };
    const selected = Math.max(0, Math.min(next.items.length - 1, next.selected));
    state.current = { ...next, selected };
    show();
  };
  const { search, items, total = 0, selected } = state.current;

  const read = (offset: number, delayMs: number) => {
    const request = new AbortController();
    const timer = setTimeout(async () => {
      let result: Change;
      try {
        const page = await api.list(search, offset, request.signal);
        result = (before) => ({
          items: [...before.items.slice(0, offset), ...page.items],
          total: page.total,
        });
      } catch (error) {
        result = () => ({ status: (error as Error).message });
      }
      if (!request.signal.aborted) change(result);
    }, delayMs);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new search.
  useEffect(() => read(0, searchDelayMs), [search]);
  const needsMore = selected === items.length - 1 && items.length < total;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of what was read.
  useEffect(() => (needsMore ? read(items.length, 0) : undefined), [needsMore, items.length]);
  return [state, change] as const;
}
