import type { UrlListQuery, UrlRecord } from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api, describeError } from '../api.js';
import { CopyButton, copyText } from '../components/copy.js';
import { Field, FormError, Select, useSubmit } from '../components/form.js';
import { PageEnd, usePages } from '../components/paged-table.js';
import { notify } from '../components/toasts.js';
import { may, me } from '../session.js';

type Sort = 'createdAt' | 'clickCount' | 'lastClickAt' | 'title';

const sorts: readonly (readonly [Sort, string])[] = [
  ['createdAt', 'Newest'],
  ['clickCount', 'Most clicks'],
  ['lastClickAt', 'Last clicked'],
  ['title', 'Title'],
];

const states: Readonly<Record<string, UrlListQuery>> = {
  all: { isDeleted: false },
  active: { isActive: true },
  paused: { isActive: false, isDeleted: false },
  deleted: { isDeleted: true },
};

/** What the browser shows of a target without its scheme. */
const shortened = (url: string) => url.replace(/^https?:\/\//, '');

export function Links() {
  const [version, setVersion] = useState(0);
  return (
    <>
      <h1>Links</h1>
      {may('urls:write') && <Shorten onCreated={() => setVersion(version + 1)} />}
      <LinkList version={version} />
    </>
  );
}

function Shorten({ onCreated }: { readonly onCreated: () => void }) {
  const [targetUrl, setTargetUrl] = useState(new URLSearchParams(location.search).get('url') ?? '');
  const [created, setCreated] = useState<UrlRecord | undefined>();
  const { submit, errors, isBusy } = useSubmit(async () => {
    const url = await api.urls.create({ targetUrl: targetUrl.trim() });
    setCreated(url);
    setTargetUrl('');
    onCreated();
    await copyText(url.shortUrl);
  });
  return (
    <form class="shorten" onSubmit={submit}>
      <Field
        label="Destination"
        id="destination"
        type="url"
        inputMode="url"
        placeholder="https://example.com/page"
        autofocus
        required
        value={targetUrl}
        error={errors.fields.targetUrl}
        onInput={({ currentTarget }) => setTargetUrl(currentTarget.value)}
      />
      <button type="submit" disabled={isBusy}>
        Shorten
      </button>
      <p>
        <Link href={`/links/new?url=${encodeURIComponent(targetUrl)}`}>Customize</Link>
      </p>
      <FormError errors={errors.fields.targetUrl === undefined ? errors : { fields: {} }} />
      {created && (
        <p class="created" role="status">
          <a href={created.shortUrl}>{created.shortUrl}</a>
          <CopyButton text={created.shortUrl} label={created.shortUrl} />
          <Link href={`/links/${created.id}`}>Edit</Link>
        </p>
      )}
    </form>
  );
}

/** `version` changes when the list must be read again. */
function LinkList({ version }: { readonly version: number }) {
  const [search, setSearch] = useState('');
  const [tag, setTag] = useState('');
  const [state, setState] = useState('all');
  const [sort, setSort] = useState<Sort>('createdAt');
  const [isMine, setMine] = useState(false);
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set());
  const query = {
    ...states[state],
    ...(search !== '' && { search }),
    ...(tag !== '' && { tag }),
    ...(isMine && me.value?.user && { createdBy: me.value.user.id }),
    sort,
    view: 'full',
    limit: 50,
  } as const satisfies UrlListQuery;
  const list = usePages<UrlRecord>(JSON.stringify([query, version]), (after) =>
    api.urls.list({ ...query, ...(after !== undefined && { after }) }),
  );
  const toggle = (id: string) => {
    const next = new Set(checked);
    if (!next.delete(id)) next.add(id);
    setChecked(next);
  };
  return (
    <section aria-label="Links">
      <div class="filters">
        <Field
          label="Search links"
          id="search"
          type="search"
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value.trim())}
        />
        <Field
          label="Tag"
          value={tag}
          onChange={({ currentTarget }) => setTag(currentTarget.value.trim())}
        />
        <Select
          label="State"
          value={state}
          options={Object.keys(states).map((name) => [name, name] as const)}
          onChange={({ currentTarget }) => setState(currentTarget.value)}
        />
        <Select
          label="Order"
          value={sort}
          options={sorts}
          onChange={({ currentTarget }) => setSort(currentTarget.value as Sort)}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={isMine}
            onChange={({ currentTarget }) => setMine(currentTarget.checked)}
          />
          Only mine
        </label>
      </div>
      {checked.size > 0 && (
        <Selection
          ids={[...checked]}
          onDone={() => {
            setChecked(new Set());
            list.reload();
          }}
        />
      )}
      <table class="links">
        <thead>
          <tr>
            {may('urls:write') && <th scope="col">Select</th>}
            <th scope="col">Short link</th>
            <th scope="col">Destination</th>
            <th scope="col" class="number">
              Clicks
            </th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {list.items.map((url) => (
            <tr key={url.id} class={url.isActive ? '' : 'inactive'}>
              {may('urls:write') && (
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Select ${url.shortUrl}`}
                    checked={checked.has(url.id)}
                    onChange={() => toggle(url.id)}
                  />
                </td>
              )}
              <td>
                <Link href={`/links/${url.id}`}>{shortened(url.shortUrl)}</Link>
                {!url.isActive && <span class="state">{url.deletedAt ? 'deleted' : 'paused'}</span>}
              </td>
              <td>
                {url.title !== null && <strong>{url.title}</strong>}
                <span class="target">{shortened(url.targetUrl)}</span>
                {url.tags.map((name) => (
                  <button
                    key={name}
                    type="button"
                    class="tag"
                    aria-label={`Only links tagged ${name}`}
                    onClick={() => setTag(name)}
                  >
                    {name}
                  </button>
                ))}
              </td>
              <td class="number">
                <Link
                  href={`/report/${url.id}`}
                  aria-label={`${url.clickCount.toLocaleString()}: report of ${url.shortUrl}`}
                >
                  {url.clickCount.toLocaleString()}
                </Link>
              </td>
              <td class="actions">
                <CopyButton text={url.shortUrl} label={url.shortUrl} />
                <Link href={`/links/${url.id}/qr`} aria-label={`QR code of ${url.shortUrl}`}>
                  QR
                </Link>
                {may('urls:write') && <ChangeState url={url} onChanged={list.reload} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <PageEnd
        list={list}
        none={
          search === '' && tag === '' && state === 'all'
            ? 'No links yet: enter a destination above.'
            : 'No link matches.'
        }
      />
    </section>
  );
}

/** Pauses, resumes or restores a link. */
function ChangeState({
  url,
  onChanged,
}: {
  readonly url: UrlRecord;
  readonly onChanged: () => void;
}) {
  const { id, shortUrl, isActive, deletedAt } = url;
  const name = isActive ? 'Pause' : deletedAt === null ? 'Resume' : 'Restore';
  const change = async () => {
    try {
      await (deletedAt === null
        ? api.urls.update(id, { isActive: !isActive })
        : api.urls.restore(id));
      onChanged();
      notify(`${shortUrl}: ${isActive ? 'paused' : 'active'}`);
    } catch (error) {
      notify(describeError(error));
    }
  };
  return (
    <button
      type="button"
      class="plain"
      aria-label={`${name} ${shortUrl}`}
      onClick={() => void change()}
    >
      {name}
    </button>
  );
}

/** What can be done with the links that are checked. */
function Selection({
  ids,
  onDone,
}: {
  readonly ids: readonly string[];
  readonly onDone: () => void;
}) {
  const [tag, setTag] = useState('');
  const run = async (done: string, work: () => Promise<unknown>, undo?: () => Promise<unknown>) => {
    try {
      await work();
      onDone();
      notify(
        `${done} ${ids.length === 1 ? 'one link' : `${ids.length} links`}`,
        undo &&
          (async () => {
            await undo();
            onDone();
          }),
      );
    } catch (error) {
      notify(describeError(error));
    }
  };
  const setActive = (isActive: boolean) =>
    api.urls.bulkUpdate(ids.map((id) => ({ id: Number(id), isActive })));
  const restore = () => Promise.all(ids.map((id) => api.urls.restore(id)));
  const addTag = async () => {
    const urls = await Promise.all(ids.map((id) => api.urls.get(id)));
    await api.urls.bulkUpdate(
      urls.map(({ id, tags }) => ({ id: Number(id), tags: [...new Set([...tags, tag.trim()])] })),
    );
  };
  return (
    <fieldset class="selection">
      <legend>{ids.length === 1 ? 'One link' : `${ids.length} links`}</legend>
      <Field
        label="Tag to add"
        value={tag}
        onInput={({ currentTarget }) => setTag(currentTarget.value)}
      />
      <button type="button" disabled={tag.trim() === ''} onClick={() => void run('Tagged', addTag)}>
        Add tag
      </button>
      <button
        type="button"
        onClick={() =>
          void run(
            'Paused',
            () => setActive(false),
            () => setActive(true),
          )
        }
      >
        Pause
      </button>
      <button
        type="button"
        onClick={() => void run('Deleted', () => api.urls.bulkDelete(ids.map(Number)), restore)}
      >
        Delete
      </button>
    </fieldset>
  );
}
