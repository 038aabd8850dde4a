import { cutText, displayWidth, fitText, formatCount, printable } from '@shorty/report';
import type { UrlRecord } from '@shorty/sdk';
import { Box, Text, useApp, useInput } from 'ink';
import type { BrowseApi } from './browse-api.js';
import { LinkScreen } from './link-screen.js';
import { useLinks } from './use-links.js';
import { useTerminalSize } from './use-terminal-size.js';

// The lines of the search field, of the status and of the space between.
const otherRows = 4;
const widestName = 32;

interface Props {
  readonly api: BrowseApi;
  readonly initialSearch: string;
  readonly now: () => number;
}

/** A searchable list of links. Enter opens the selected one. */
export function BrowseScreen({ api, initialSearch, now }: Props) {
  const { exit } = useApp();
  const { columns, rows } = useTerminalSize();
  const [links, change] = useLinks(api, initialSearch);
  const { items, openId, search, selected } = links;

  const move = (step: number) => change((before) => ({ selected: before.selected + step }));
  const edit = (toText: (search: string) => string) =>
    change((before) => ({ search: toText(before.search), selected: 0 }));
  useInput(
    (input, key) => {
      if (key.escape) exit();
      else if (key.return) change((before) => ({ openId: before.items[before.selected]?.id }));
      else if (key.upArrow) move(-1);
      else if (key.downArrow) move(1);
      else if (key.backspace || key.delete) edit((text) => [...text].slice(0, -1).join(''));
      else if (!key.ctrl && !key.meta && !key.tab) edit((text) => text + printable(input));
    },
    { isActive: openId === undefined },
  );

  if (openId !== undefined) {
    const back = () => change(() => ({ openId: undefined }));
    return <LinkScreen api={api} id={openId} now={now} onBack={back} />;
  }
  const height = Math.max(1, rows - otherRows);
  const first = Math.max(0, Math.min(selected - height + 1, items.length - height));
  const shown = items.slice(first, first + height);
  const width = columns - 1;
  const names = shown.map((item) => displayWidth(nameOf(item)));
  const nameWidth = Math.min(widestName, Math.max(0, ...names));
  return (
    <Box flexDirection="column">
      <Text>{cutText(`Search: ${search}▏`, width)}</Text>
      <Text dimColor>{cutText(describeList(links), width)}</Text>
      {shown.map((item, index) => (
        <LinkRow
          key={item.id}
          item={item}
          width={width}
          nameWidth={nameWidth}
          isSelected={first + index === selected}
        />
      ))}
      <Text dimColor>{cutText('↑ ↓ select   enter show   esc quit', width)}</Text>
    </Box>
  );
}

function describeList({ items, total, error }: ReturnType<typeof useLinks>[0]): string {
  if (error !== undefined) return error;
  if (total === undefined) return 'loading ...';
  return total === 0 && items.length === 0 ? 'no link found' : formatCount(total, 'link');
}

interface RowProps {
  readonly item: UrlRecord;
  readonly width: number;
  readonly nameWidth: number;
  readonly isSelected: boolean;
}

function nameOf({ shortUrl }: UrlRecord): string {
  return shortUrl.replace(/^https?:\/\//, '');
}

function LinkRow({ item, width, nameWidth, isSelected }: RowProps) {
  const state = item.isActive ? '' : ' (paused)';
  const title = item.title ? `${item.title}  ` : '';
  const text = `${isSelected ? '›' : ' '} ${fitText(nameOf(item), nameWidth)}  ${title}${item.targetUrl}${state}`;
  return (
    <Text inverse={isSelected} dimColor={!item.isActive}>
      {fitText(text, width)}
    </Text>
  );
}
