import {
  ConflictError,
  type RuleTest,
  type RuleTestQuery,
  type UrlCreateRequest,
  type UrlRecord,
  type UrlUpdateRequest,
} from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { CopyButton, copyText } from '../components/copy.js';
import { Button, Loading, Part, Screen, Table } from '../components/elements.js';
import { type Field, type Filling, type Option, select } from '../components/field.js';
import { Form, type Section } from '../components/form.js';
import { useLoaded } from '../components/loaded.js';
import { notify, run } from '../components/work.js';
import { useDomains } from '../domains.js';
import { api, may } from '../session.js';

/** What is decided once, when a link is made. */
const newFields = (domains: readonly Option[]): readonly Field[] => [
  select('domainId', 'Domain', [['', location.host], ...domains]),
  {
    name: 'customSlug',
    label: 'Slug',
    hint: ({ draft }) => (
      <SlugVerdict slug={`${draft.customSlug}`} domainId={`${draft.domainId}`} />
    ),
  },
];

const fields: readonly (Field | Section)[] = [
  { name: 'title', label: 'Title', hint: (filling) => <FetchTitle {...filling} /> },
  { name: 'tags', label: 'Tags', kind: 'tags', hint: 'Separated by commas.' },
  { name: 'description', label: 'Notes' },
  {
    section: 'Start, end and access',
    fields: [
      { name: 'activatesAt', label: 'Starts at', kind: 'datetime-local' },
      { name: 'expiresAt', label: 'Ends at', kind: 'datetime-local' },
      { name: 'expiredUrl', label: 'After the end, lead to', kind: 'url' },
      { name: 'maxClicks', label: 'Most clicks', kind: 'number', min: 1 },
      {
        name: 'password',
        label: 'Password',
        autocomplete: 'off',
        hint: 'Visitors must enter it. It is never shown again.',
      },
      { name: 'isPasswordProtected', label: 'Ask visitors for the password', kind: 'check' },
      { name: 'forwardQuery', label: 'Forward the query', kind: 'inherited' },
      { name: 'forwardPath', label: 'Forward the path', kind: 'inherited' },
      {
        name: 'infoPage',
        label: 'Show where it leads at its address with +',
        kind: 'inherited',
        options: [
          ['', 'as the server'],
          ['yes', 'yes'],
          ['no', 'no'],
        ],
      },
      {
        name: 'publicStats',
        label: 'Show its clicks there',
        kind: 'inherited',
        options: [
          ['', 'no'],
          ['yes', 'yes'],
        ],
      },
    ],
  },
  {
    section: 'UTM parameters',
    fields: [
      { name: 'utmSource', label: 'Source', placeholder: 'newsletter' },
      { name: 'utmMedium', label: 'Medium', placeholder: 'email' },
      { name: 'utmCampaign', label: 'Campaign', placeholder: 'spring' },
      { name: 'utmTerm', label: 'Term' },
      { name: 'utmContent', label: 'Content' },
    ],
  },
  {
    section: 'Link preview',
    fields: [
      { name: 'preview.title', label: 'Preview title' },
      { name: 'preview.description', label: 'Preview text' },
      { name: 'preview.imageUrl', label: 'Preview image', kind: 'url' },
    ],
  },
  {
    section: 'Other destinations for some visits',
    fields: [
      {
        name: 'rules',
        label: 'Rule',
        kind: 'rules',
        hint: 'The first rule that matches a visit decides. Without conditions, it matches all.',
        rows: [
          { name: 'name', label: 'Name' },
          { name: 'when.country', label: 'Countries', kind: 'tags', placeholder: 'DE, AT' },
          { name: 'when.device', label: 'Devices', kind: 'tags', placeholder: 'mobile, tablet' },
          { name: 'when.os', label: 'Systems', kind: 'tags', placeholder: 'iOS, Android' },
          { name: 'when.browser', label: 'Browsers', kind: 'tags', placeholder: 'Safari' },
          { name: 'when.language', label: 'Languages', kind: 'tags', placeholder: 'de' },
          { name: 'when.referrer', label: 'Referrers', kind: 'tags', placeholder: 'example.com' },
          { name: 'when.query', label: 'Query', kind: 'query', placeholder: 'ref=mail' },
          { name: 'when.after', label: 'From', kind: 'datetime-local' },
          { name: 'when.before', label: 'Until', kind: 'datetime-local' },
          { name: 'targetUrl', label: 'Leads to', kind: 'url' },
          {
            name: 'variants',
            label: 'Or divide the visitors: a weight and a destination a line',
            kind: 'variants',
            placeholder: '50 https://example.com/a',
          },
        ],
      },
    ],
  },
];

const targetUrl: Field = { name: 'targetUrl', label: 'Destination', kind: 'url', required: true };

/** Makes a new link: `/links/new?url=…`. */
export function NewLink() {
  const [, navigate] = useLocation();
  const domains = useDomains({ isActive: true });
  return (
    <Screen title="New link">
      <Form<UrlCreateRequest>
        fields={[targetUrl, ...newFields(domains), ...fields]}
        initial={{ targetUrl: new URLSearchParams(location.search).get('url') }}
        action="Shorten"
        save={async (request) => {
          const url = await api.urls.create(withPassword(request));
          await copyText(url.shortUrl);
          navigate(`/links/${url.id}`);
        }}
      >
        {({ request }) => <SameCommand method="POST" path="urls" body={withPassword(request())} />}
      </Form>
    </Screen>
  );
}

/** Returns a request in which somebody who sets a password wants visitors to be asked for it. */
const withPassword = <Request extends UrlCreateRequest | UrlUpdateRequest>(
  request: Request,
): Request => (request.password ? { ...request, isPasswordProtected: true } : request);

/** A link, and the version of it that was read. */
interface Read {
  readonly url: UrlRecord;
  readonly version: { readonly ifMatch?: string };
}

async function read(id: string): Promise<Read> {
  const { data, response } = await api.urls.get(id).withResponse();
  return { url: data, version: response.etag === undefined ? {} : { ifMatch: response.etag } };
}

/** What somebody wants to change of a link that somebody else has changed meanwhile. */
interface Refused {
  readonly theirs: Read;
  readonly changes: UrlUpdateRequest;
}

/** Shows and changes a link. */
export function LinkEditor({ params: { id } }: { readonly params: { readonly id: string } }) {
  const { value, error, setValue } = useLoaded(id, () => read(id));
  const [refused, setRefused] = useState<Refused>();
  if (!value) return <Loading error={error} />;
  const { url } = value;
  const save = async (changes: UrlUpdateRequest, { version }: Read) => {
    try {
      await api.urls.update(id, changes, version);
      notify(`Saved ${url.shortUrl}`);
      setRefused(undefined);
    } catch (reason) {
      if (!(reason instanceof ConflictError && reason.code === 'PRECONDITION_FAILED')) throw reason;
      setRefused({ theirs: await read(id), changes });
    }
    setValue(await read(id));
  };
  const isReadOnly = !may('urls:write');
  return (
    <Screen title={url.title ?? url.shortUrl}>
      <p class="row">
        <a href={url.shortUrl}>{url.shortUrl}</a>
        <CopyButton text={url.shortUrl} label={url.shortUrl} />
        <Link href={`/report/${id}`}>Report</Link>
        <Link href={`/links/${id}/qr`}>QR code</Link>
      </p>
      {refused && (
        <Conflict
          {...refused}
          save={() => save(refused.changes, refused.theirs)}
          onDropped={() => setRefused(undefined)}
        />
      )}
      {!refused && (
        <Form<UrlUpdateRequest>
          fields={[targetUrl, ...fields]}
          record={url}
          action={isReadOnly ? undefined : 'Save'}
          save={(changes) => save(withPassword(changes), value)}
        >
          {({ request }) =>
            !isReadOnly && (
              <SameCommand method="PATCH" path={`urls/${id}`} body={withPassword(request())} />
            )
          }
        </Form>
      )}
      {url.rules.length > 0 && <TestVisit id={id} />}
    </Screen>
  );
}

/** Shows what somebody else has saved meanwhile, and lets the person decide. */
function Conflict({
  theirs,
  changes,
  save,
  onDropped,
}: Refused & { readonly save: () => Promise<void>; readonly onDropped: () => void }) {
  const current = new Map<string, unknown>(Object.entries(theirs.url));
  const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return (
    <>
      <h2>Somebody has changed this link meanwhile</h2>
      <Table heads={['Field', 'Saved meanwhile', 'Yours']}>
        {Object.entries(changes).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{shown(current.get(name) ?? null)}</td>
            <td>{shown(value)}</td>
          </tr>
        ))}
      </Table>
      <Form fields={[]} action="Save yours" save={save} />
      <Button onClick={onDropped}>Take what was saved</Button>
    </>
  );
}

function FetchTitle({ draft, set }: Filling) {
  const url = String(draft.targetUrl);
  const fetchTitle = async () => {
    const { title } = await api.urls.metadata(url);
    if (title === null) notify('The page has no title');
    else set('title', title);
  };
  return (
    <Button class="plain" disabled={url === ''} onClick={() => void run(fetchTitle)}>
      Fetch the title of the page
    </Button>
  );
}

/** Whether a slug may be taken. */
function SlugVerdict({ slug, domainId }: { readonly slug: string; readonly domainId: string }) {
  const check = async () => {
    if (slug === '') return 'Empty for a random one. It cannot be changed.';
    const found = await api.urls.checkSlug({ slug, ...(domainId !== '' && { domainId }) });
    return found.isAvailable ? 'This slug is free.' : (found.message ?? 'This slug is taken.');
  };
  const { value, error, isLoading } = useLoaded(`${domainId} ${slug}`, check, 300);
  return <>{isLoading ? 'Checking…' : error || value}</>;
}

interface Command {
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

/** The same change by the CLI and by curl. */
function SameCommand({ method, path, body }: Command) {
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  const headers = "-H 'Authorization: Bearer YOUR_API_KEY' -H 'Content-Type: application/json'";
  const url = `${location.origin}/api/v1/${path}`;
  return (
    <details>
      <summary>The same on a command line</summary>
      <pre>{`echo '${json}' | shorty api ${method} ${path} --input -`}</pre>
      <pre>{`curl -X ${method} ${url} \\\n  ${headers} \\\n  -d '${json}'`}</pre>
    </details>
  );
}

const visitFields = ['device', 'os', 'browser', 'country', 'language', 'query', 'referrer'];

/** Tells where the saved rules of a link lead a visit. */
function TestVisit({ id }: { readonly id: string }) {
  const [result, setResult] = useState<RuleTest>();
  return (
    <Part title="Test a visit">
      <Form<RuleTestQuery>
        class="line"
        fields={visitFields.map((name) => ({ name, label: name }))}
        action="Test"
        save={async (visit) => setResult(await api.urls.testRules(id, visit))}
      />
      {result && (
        <div role="status">
          {result.rule === null ? 'No rule matches.' : `Rule ${result.rule} matches.`}
          {result.outcomes.map(({ variant, location, share }) => (
            <p key={variant}>
              {Math.round(share * 100)} %: {location}
            </p>
          ))}
        </div>
      )}
    </Part>
  );
}
