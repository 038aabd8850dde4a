import { formatCsvFile } from '@shorty/import/csv';
import { formatCount } from '@shorty/report';
import type { UrlBulkUpdateItem, UrlCreateRequest, UrlListQuery, UrlRecord } from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { CopyButton, copyText } from '../components/copy.js';
import { download } from '../components/download.js';
import { Button, Screen } from '../components/elements.js';
import { Action, Form } from '../components/form.js';
import { List, Only } from '../components/list.js';
import { run } from '../components/work.js';
import { type Field, field, type Option, optionsOf, select } from '../fields.js';
import { api, may, me } from '../session.js';
import { withoutScheme } from '../texts.js';
import { useDomains } from './domains.js';

const destination = field('targetUrl', 'Destination', {
  kind: 'url',
  placeholder: 'https://example.com/page',
  autofocus: true,
  required: true,
});

const states: Readonly<Record<string, UrlListQuery>> = {
  active: { isActive: true },
  paused: { isActive: false, isDeleted: false },
  deleted: { isDeleted: true },
  harmful: { isTargetBlocked: true },
};

const filtersOf = (domains: readonly Option[]): readonly Field[] => [
  field('search', 'Search links', { kind: 'search' }),
  field('tag', 'Tag'),
  select('domainId', 'Domain', [['', 'all'], ...domains]),
  select('state', 'State', [['', 'all'], ...optionsOf(Object.keys(states))]),
  select('sort', 'Order', [
    ['', 'Newest'],
    ['clickCount', 'Most clicks'],
    ['lastClickAt', 'Last clicked'],
  ]),
  field('mine', 'Only mine', { kind: 'check' }),
];

/** The query of the API for what somebody has set. */
type Shown = UrlListQuery & { readonly state?: string; readonly mine?: true };

function queryOf({ state, mine, ...query }: Shown): UrlListQuery {
  return { ...query, ...states[state ?? ''], createdBy: mine && me.value?.user?.id };
}

export function Links() {
  const domains = useDomains();
  const [checked, setChecked] = useState<readonly UrlRecord[]>([]);
  const isWriter = may('urls:write');
  const isChecked = ({ id }: UrlRecord) => checked.some((url) => url.id === id);
  const toggle = (url: UrlRecord) =>
    setChecked(isChecked(url) ? checked.filter(({ id }) => id !== url.id) : [...checked, url]);
  const select = (url: UrlRecord) => (
    <input
      type="checkbox"
      aria-label={`Select ${url.shortUrl}`}
      checked={isChecked(url)}
      onChange={() => toggle(url)}
    />
  );
  return (
    <Screen title="Links">
      {isWriter && <Shorten />}
      <List<UrlRecord, Shown>
        read={(query) => api.urls.list({ ...queryOf(query), view: 'full' })}
        filters={filtersOf(domains)}
        none="No link matches."
        columns={{
          ...(isWriter && { Select: select }),
          'Short link': ({ id, shortUrl }) => (
            <Link href={`/links/${id}`}>{withoutScheme(shortUrl)}</Link>
          ),
          Destination: ({ title, targetUrl }) => title ?? withoutScheme(targetUrl),
          Clicks: ({ id, shortUrl, clickCount }) => (
            <Link
              href={`/report/${id}`}
              aria-label={`${formatCount(clickCount, 'click')} of ${shortUrl}`}
            >
              {clickCount.toLocaleString()}
            </Link>
          ),
          Actions: (url) => <Actions {...url} />,
        }}
        notes={{
          'Short link': ({ isActive, deletedAt, takenDown, targetBlockedAt }) => {
            if (takenDown !== null) return 'taken down by the operator';
            if (!isActive) return deletedAt === null ? 'paused' : 'deleted';
            return targetBlockedAt !== null && 'leads to a harmful host';
          },
          Destination: ({ title, targetUrl, tags }) => (
            <>
              {title !== null && withoutScheme(targetUrl)}{' '}
              {tags.map((tag) => (
                <Only key={tag} name="tag" value={tag} />
              ))}
            </>
          ),
        }}
      >
        {checked.length > 0 && <Selection urls={checked} onDone={() => setChecked([])} />}
      </List>
    </Screen>
  );
}

function Shorten() {
  const [created, setCreated] = useState<UrlRecord>();
  return (
    <div class="box shorten">
      <Form<UrlCreateRequest>
        class="line"
        fields={[destination]}
        initial={{ targetUrl: created ? null : new URLSearchParams(location.search).get('url') }}
        action="Shorten"
        save={async (request) => {
          const url = await api.urls.create(request);
          setCreated(url);
          await copyText(url.shortUrl);
        }}
      >
        {({ draft }) => (
          <Link href={`/links/new?url=${encodeURIComponent(`${draft.targetUrl}`)}`}>Customize</Link>
        )}
      </Form>
      {created && (
        <p class="row" role="status">
          <a href={created.shortUrl}>{created.shortUrl}</a>
          <CopyButton text={created.shortUrl} label={created.shortUrl} />
          <Link href={`/links/${created.id}`}>Edit</Link>
          <Link href={`/links/${created.id}/qr`}>QR code</Link>
        </p>
      )}
    </div>
  );
}

function Actions({ id, shortUrl, isActive, deletedAt }: UrlRecord) {
  const set = (isActive: boolean) => () => api.urls.update(id, { isActive });
  return (
    <>
      <CopyButton text={shortUrl} label={shortUrl} />
      <Link href={`/links/${id}/qr`} aria-label={`QR code of ${shortUrl}`}>
        QR
      </Link>
      {!may('urls:write') ? null : deletedAt === null ? (
        <Action
          name={isActive ? 'Pause' : 'Resume'}
          of={shortUrl}
          work={set(!isActive)}
          done={`${shortUrl}: ${isActive ? 'paused' : 'active'}`}
          undo={set(isActive)}
        />
      ) : (
        <Action name="Restore" of={shortUrl} work={() => api.urls.restore(id)} />
      )}
    </>
  );
}

type Selected = { readonly urls: readonly UrlRecord[]; readonly onDone: () => void };

/** What can be done with the links that are checked. */
function Selection({ urls, onDone }: Selected) {
  const links = formatCount(urls.length, 'link');
  const present = urls.filter(({ deletedAt }) => deletedAt === null);
  const active = present.filter(({ isActive }) => isActive);
  const paused = present.filter(({ isActive }) => !isActive);
  const update = async (items: readonly UrlBulkUpdateItem[]) => {
    const { errors } = await api.urls.bulkUpdate(items);
    const [first] = errors;
    const url = urls.find(({ id }) => id === first?.id);
    if (first) throw new Error(`${errors.length} refused: ${url?.shortUrl}: ${first.error}`);
  };
  const setActive = (some: readonly UrlRecord[], isActive: boolean) =>
    update(some.map(({ id }) => ({ id, isActive })));
  const restore = () => setActive(present, true).finally(() => setActive(paused, false));
  const act = async (done: string, work: () => Promise<unknown>, undo: () => Promise<unknown>) => {
    if (await run(work, `${done} ${links}`, undo)) onDone();
  };
  const pause = (isPaused: boolean) => () => setActive(active, !isPaused);
  const remove = () => api.urls.bulkDelete(urls.map(({ id }) => id));
  const addTag = async ({ tag }: { readonly tag: string }) => {
    // Somebody else may have changed the tags since the list was read.
    const latest = await Promise.all(urls.map(({ id }) => api.urls.get(id)));
    await update(latest.map(({ id, tags }) => ({ id, tags: [...new Set([...tags, tag])] })));
    onDone();
  };
  return (
    <fieldset class="row">
      <legend>{links}</legend>
      <Form class="line" fields={[tagToAdd]} action="Add tag" save={addTag} />
      <Button onClick={() => void act('Paused', pause(true), pause(false))}>Pause</Button>
      <Button onClick={() => void act('Deleted', remove, restore)}>Delete</Button>
      <Button onClick={() => download('links.csv', 'text/csv', csvOf(urls))}>Export</Button>
    </fieldset>
  );
}

const tagToAdd: Field = field('tag', 'Tag to add', { required: true });

/** Returns a file of links that can be imported. */
function csvOf(urls: readonly UrlRecord[]): string {
  const names = Object.keys(urls[0] ?? {});
  const cell = (value: unknown) =>
    typeof value === 'object' ? JSON.stringify(value ?? '') : String(value);
  const rows = urls.map((url) => names.map((name) => cell(url[name as keyof UrlRecord])));
  return formatCsvFile([names, ...rows]);
}
