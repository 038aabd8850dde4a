import type { UrlListItem, UrlRecord } from '@shorty/sdk';
import { render } from 'ink-testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type BrowseApi, BrowseScreen } from './browse-screen.js';

const down = '\u001b[B';
const up = '\u001b[A';
const [open, copy, pause] = ['\u000f', '\u0019', '\u0010'] as const;

/** The links of a fake server, and what the screen did. */
class FakeApi implements BrowseApi {
  readonly searches: string[] = [];
  readonly actions: string[] = [];
  links = Array.from({ length: 120 }, (_, index) => linkOf(120 - index));

  async list(search: string, offset: number) {
    this.searches.push(`${search}:${offset}`);
    const found = this.links.filter(({ targetUrl }) => targetUrl.includes(search));
    return {
      total: found.length,
      items: found.slice(offset, offset + 100).map((link) => ({ ...recordFields, ...link })),
    };
  }

  async setActive(id: string, isActive: boolean): Promise<UrlRecord> {
    const link = this.links.find((each) => each.id === id);
    if (!link) throw new Error('link not found');
    this.actions.push(`${isActive ? 'resume' : 'pause'} ${id}`);
    return { ...recordFields, ...link, isActive };
  }

  async open(url: string) {
    this.actions.push(`open ${url}`);
  }

  async copy(text: string) {
    this.actions.push(`copy ${text}`);
  }
}

function linkOf(id: number): UrlListItem {
  return {
    id: String(id),
    shortCode: `code${id}`,
    customSlug: null,
    shortUrl: `https://sho.example/code${id}`,
    targetUrl: `https://example.com/${id % 2 === 0 ? 'even' : 'odd'}/${id}`,
    isActive: id !== 119,
  };
}

const recordFields = {
  title: 'Spring\u001b[2J 東京',
  clickCount: 1234,
} as unknown as Omit<UrlRecord, keyof UrlListItem>;

let api: FakeApi;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  api = new FakeApi();
});

afterEach(() => {
  vi.useRealTimers();
});

async function show(initialSearch = '') {
  const screen = render(<BrowseScreen api={api} initialSearch={initialSearch} />);
  // React renders, and replaces the handlers of keys, in later turns of the event loop.
  const settle = async (ms = 200) => {
    for (const passed of [ms, 200, 100]) {
      await vi.advanceTimersByTimeAsync(passed);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    }
  };
  await settle();
  return {
    frame: () => screen.lastFrame() ?? '',
    press: async (...keys: string[]) => {
      for (const key of keys) screen.stdin.write(key);
      await settle();
    },
    settle,
    resize: async (columns: number) => {
      Object.defineProperty(screen.stdout, 'columns', { value: columns });
      screen.stdout.emit('resize');
      await settle();
    },
    unmount: screen.unmount,
  };
}

test('lists links, and searches while the user types', async () => {
  const { frame, press, unmount } = await show();
  expect(frame()).toMatch(
    /^Search: ▏\n120 links\n› sho\.example\/code120 +1,234 {2}Spring\ufffd\[2J 東京 {2}https/,
  );
  expect(frame()).toMatch(/ {2}sho\.example\/code119 .*odd\/119 \(paused\)/);
  await press('e', 'v', 'en/');
  expect(frame()).toMatch(/^Search: even\/▏\n60 links\n› sho\.example\/code120/);
  await press('x');
  expect(frame()).toContain('no link found');
  await press('\u007f', '\u007f', '\u007f');
  expect(frame()).toContain('Search: eve▏');
  expect(api.searches).toEqual([':0', 'even/:0', 'even/x:0', 'eve:0']);
  unmount();
});

test('moves through all links, page by page, with keys in a burst', async () => {
  const { frame, press, unmount } = await show();
  await press(up);
  expect(frame()).toContain('› sho.example/code120');
  await press(...Array<string>(99).fill(down));
  expect(frame()).toContain('› sho.example/code21');
  await press(...Array<string>(40).fill(down));
  expect(frame()).toContain('› sho.example/code1 ');
  expect(api.searches).toEqual([':0', ':100']);
  unmount();
});

test('pauses, opens and copies the selected link', async () => {
  const { frame, press, unmount } = await show();
  await press(down, down, copy);
  expect(frame()).toContain('\ncopied https://sho.example/code118\n');
  await press(open);
  expect(frame()).toContain('\nopened https://sho.example/code118\n');
  await press(pause);
  expect(frame()).toContain('\npaused https://sho.example/code118\n');
  expect(frame()).toMatch(/› sho\.example\/code118 .*even\/118 \(paused\)/);
  await press(pause);
  expect(frame()).not.toMatch(/code118 .*\(paused\)/);
  expect(api.actions).toEqual([
    'copy https://sho.example/code118',
    'open https://sho.example/code118',
    'pause 118',
    'resume 118',
  ]);
  await press(up, '\r');
  expect(frame()).toMatch(/^Search: ▏\n120 links\n/);
  unmount();
});

test('the list fits the terminal after it was resized', async () => {
  const { frame, resize, unmount } = await show();
  const lines = frame().split('\n').length;
  await resize(40);
  expect(frame().split('\n')).toHaveLength(lines);
  expect(frame()).toMatch(/^› sho\.example\/code120 {2}1,234 {2}Spri.*…$/m);
  unmount();
});

test('shows errors and goes on', async () => {
  const { frame, press, settle, unmount } = await show();
  api.links = [];
  await press(pause);
  expect(frame()).toContain('link not found');
  await press('x');
  expect(frame()).toContain('no link found');
  unmount();
  await settle();
  expect(vi.getTimerCount()).toBe(0);
});
