import { ConflictError, type Domain, type UrlRecord } from '@shorty/sdk';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api, describeError } from '../api.js';
import { CopyButton, copyText } from '../components/copy.js';
import { Field, FormError, Select, useSubmit } from '../components/form.js';
import { RuleEditor, TestVisit } from '../components/rule-editor.js';
import { notify } from '../components/toasts.js';
import {
  changesOf,
  createRequestOf,
  emptyForm,
  formOf,
  type LinkForm,
  type TextName,
} from '../link-form.js';
import { may } from '../session.js';

/** A link, and the version of it that was read. */
interface Read {
  readonly url: UrlRecord;
  readonly etag: string | undefined;
}

const inherited = [
  ['', 'as its domain'],
  ['yes', 'yes'],
  ['no', 'no'],
] as const;

/** The fields that are plain texts, by the section in which they stand. */
const sections: Readonly<Record<string, readonly (readonly [TextName, string, string?])[]>> = {
  'UTM parameters': [
    ['utmSource', 'Source', 'newsletter'],
    ['utmMedium', 'Medium', 'email'],
    ['utmCampaign', 'Campaign', 'spring'],
    ['utmTerm', 'Term'],
    ['utmContent', 'Content'],
  ],
  'Link preview': [
    ['previewTitle', 'Preview title'],
    ['previewDescription', 'Preview text'],
    ['previewImageUrl', 'Preview image', 'https://example.com/image.png'],
  ],
};

/** Makes a new link: `/links/new?url=…`. */
export function NewLink() {
  const [, navigate] = useLocation();
  const start = emptyForm(new URLSearchParams(location.search).get('url') ?? '');
  return (
    <>
      <h1>New link</h1>
      <Editor
        start={start}
        isNew
        save={async (form) => {
          const url = await api.urls.create(createRequestOf(form));
          await copyText(url.shortUrl);
          navigate(`/links/${url.id}`);
        }}
        commandOf={(form) => ({ method: 'POST', path: 'urls', body: createRequestOf(form) })}
      />
    </>
  );
}

/** Shows and changes a link. */
export function LinkEditor({ params: { id = '' } }: { readonly params: { readonly id?: string } }) {
  const [read, setRead] = useState<Read>();
  const [error, setError] = useState('');
  const [conflict, setConflict] = useState<{ readonly theirs: Read; readonly mine: LinkForm }>();
  const load = async (): Promise<Read> => {
    const { data, response } = await api.urls.get(id).withResponse();
    return { url: data, etag: response.etag };
  };
  useEffect(() => {
    load().then(setRead, (reason: unknown) => setError(describeError(reason)));
  }, [id]);
  if (error !== '') return <p role="alert">{error}</p>;
  if (!read) return <p>Loading…</p>;
  const { url, etag } = read;
  const save = async (form: LinkForm) => {
    const changes = changesOf(formOf(url), form);
    try {
      await api.urls.update(id, changes, etag === undefined ? {} : { ifMatch: etag });
    } catch (reason) {
      if (!(reason instanceof ConflictError && reason.code === 'PRECONDITION_FAILED')) throw reason;
      setConflict({ theirs: await load(), mine: form });
      return;
    }
    setRead(await load());
    notify(`Saved ${url.shortUrl}`);
  };
  return (
    <>
      <h1>{url.title ?? url.shortUrl}</h1>
      <p class="created">
        <a href={url.shortUrl}>{url.shortUrl}</a>
        <CopyButton text={url.shortUrl} label={url.shortUrl} />
        <Link href={`/report/${id}`}>Report</Link>
        <Link href={`/links/${id}/qr`}>QR code</Link>
      </p>
      {conflict ? (
        <Conflict
          {...conflict}
          onResolved={(theirs) => {
            setRead(theirs);
            setConflict(undefined);
          }}
        />
      ) : (
        <Editor
          key={etag}
          start={formOf(url)}
          isNew={false}
          save={save}
          commandOf={(form) => ({
            method: 'PATCH',
            path: `urls/${id}`,
            body: changesOf(formOf(url), form),
          })}
        />
      )}
      {url.rules.length > 0 && <TestVisit id={id} />}
    </>
  );
}

interface EditorProps {
  readonly start: LinkForm;
  readonly isNew: boolean;
  readonly save: (form: LinkForm) => Promise<void>;
  readonly commandOf: (form: LinkForm) => Command;
}

function Editor({ start, isNew, save, commandOf }: EditorProps) {
  const [form, setForm] = useState(start);
  const { submit, errors, isBusy } = useSubmit(() => save(form));
  const isReadOnly = !may('urls:write');
  const field = (name: TextName) => ({
    value: form.texts[name],
    error: errors.fields[name],
    disabled: isReadOnly,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setText(name, currentTarget.value),
  });
  const setText = (name: TextName, value: string) =>
    setForm((before) => ({ ...before, texts: { ...before.texts, [name]: value } }));
  const fetchTitle = async () => {
    const { title } = await api.urls.metadata(form.texts.targetUrl);
    if (title === null) notify('The page has no title');
    else setText('title', title);
  };
  return (
    <form onSubmit={submit}>
      <Field label="Destination" type="url" required {...field('targetUrl')} />
      {isNew && <Slug form={form} field={field} />}
      <Field label="Title" {...field('title')} />
      {!isReadOnly && (
        <button
          type="button"
          disabled={form.texts.targetUrl === ''}
          onClick={() => fetchTitle().catch((reason: unknown) => notify(describeError(reason)))}
        >
          Fetch the title of the page
        </button>
      )}
      <Field label="Tags" hint="Separated by commas." {...field('tags')} />
      <Field label="Notes" {...field('description')} />
      <details>
        <summary>Start, end and access</summary>
        <Field label="Starts at" type="datetime-local" {...field('activatesAt')} />
        <Field label="Ends at" type="datetime-local" {...field('expiresAt')} />
        <Field label="After the end, lead to" type="url" {...field('expiredUrl')} />
        <Field label="Most clicks" type="number" min="1" {...field('maxClicks')} />
        <Field
          label="Password"
          autocomplete="off"
          hint="Visitors must enter it. It is never shown again."
          {...field('password')}
        />
        <Select label="Forward the query" options={inherited} {...field('forwardQuery')} />
        <Select label="Forward the path" options={inherited} {...field('forwardPath')} />
      </details>
      {Object.entries(sections).map(([title, fields]) => (
        <details key={title}>
          <summary>{title}</summary>
          {fields.map(([name, label, placeholder]) => (
            <Field key={name} label={label} placeholder={placeholder} {...field(name)} />
          ))}
        </details>
      ))}
      <RuleEditor
        rules={form.rules}
        isReadOnly={isReadOnly}
        onChange={(rules) => setForm((before) => ({ ...before, rules }))}
      />
      <FormError errors={errors} />
      {!isReadOnly && (
        <button type="submit" disabled={isBusy}>
          {isNew ? 'Shorten' : 'Save'}
        </button>
      )}
      {!isReadOnly && <SameCommand command={commandOf(form)} />}
    </form>
  );
}

/** The slug and the domain of a new link, and whether it may be taken. */
function Slug({
  form: { texts },
  field,
}: {
  readonly form: LinkForm;
  readonly field: (name: TextName) => object;
}) {
  const [domains, setDomains] = useState<readonly Domain[]>([]);
  const [verdict, setVerdict] = useState('');
  useEffect(() => {
    if (!may('domains:read')) return;
    api.domains
      .list({ isActive: true })
      .toArray({ limit: 100 })
      .then(setDomains, () => {});
  }, []);
  useEffect(() => {
    setVerdict('');
    if (texts.customSlug === '') return;
    const timer = setTimeout(async () => {
      const query = { slug: texts.customSlug, ...(texts.domainId && { domainId: texts.domainId }) };
      const { isAvailable, message } = await api.urls.checkSlug(query);
      setVerdict(isAvailable ? 'This slug is free.' : (message ?? 'This slug is taken.'));
    }, 300);
    return () => clearTimeout(timer);
  }, [texts.customSlug, texts.domainId]);
  return (
    <>
      {domains.length > 0 && (
        <Select
          label="Domain"
          options={[
            ['', location.host],
            ...domains.map(({ id, hostname }) => [id, hostname] as const),
          ]}
          {...field('domainId')}
        />
      )}
      <Field
        label="Slug"
        hint={verdict || 'Empty for a random one. It cannot be changed.'}
        {...field('customSlug')}
      />
    </>
  );
}

interface Command {
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

/** The same change by the CLI and by curl. */
function SameCommand({ command: { method, path, body } }: { readonly command: Command }) {
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  const curl = [
    `curl -X ${method} ${location.origin}/api/v1/${path} \\`,
    "  -H 'Authorization: Bearer YOUR_API_KEY' -H 'Content-Type: application/json' \\",
    `  -d '${json}'`,
  ].join('\n');
  return (
    <details>
      <summary>The same on a command line</summary>
      <pre>{`echo '${json}' | shorty api ${method} ${path} --input -`}</pre>
      <pre>{curl}</pre>
    </details>
  );
}

/** Shows what somebody else has saved meanwhile, and lets the person decide. */
function Conflict({
  theirs,
  mine,
  onResolved,
}: {
  readonly theirs: Read;
  readonly mine: LinkForm;
  readonly onResolved: (theirs: Read) => void;
}) {
  const current = formOf(theirs.url);
  const changes = changesOf(current, mine);
  const { submit, errors, isBusy } = useSubmit(async () => {
    const { id } = theirs.url;
    const options = theirs.etag === undefined ? {} : { ifMatch: theirs.etag };
    await api.urls.update(id, changes, options);
    const { data, response } = await api.urls.get(id).withResponse();
    onResolved({ url: data, etag: response.etag });
    notify(`Saved ${data.shortUrl}`);
  });
  const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return (
    <form onSubmit={submit}>
      <h2>Somebody has changed this link meanwhile</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Saved meanwhile</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(changes).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{shown((theirs.url as unknown as Record<string, unknown>)[name] ?? null)}</td>
              <td>{shown(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <FormError errors={errors} />
      <button type="submit" disabled={isBusy}>
        Save yours
      </button>
      <button type="button" onClick={() => onResolved(theirs)}>
        Take what was saved
      </button>
    </form>
  );
}
