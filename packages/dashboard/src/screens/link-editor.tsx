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
import { Button, Loading, Part, Screen, Table, useLoaded } from '../components/elements.js';
import { Form, section } from '../components/form.js';
import { notify, run } from '../components/work.js';
import { type Filling, field, type Option, optionsOf, select } from '../fields.js';
import { api, may } from '../session.js';
import { describeError } from '../texts.js';
import { useDomains } from './domains.js';

/** What is decided once, when a link is made. */
const newFields = (domains: readonly Option[]) => [
  select('domainId', 'Domain', [['', location.host], ...domains]),
  field('customSlug', 'Slug', {
    hint: ({ draft }) => (
      <SlugVerdict slug={`${draft.customSlug}`} domainId={`${draft.domainId}`} />
    ),
  }),
];

const statuses = optionsOf(['307', '302', '301', '308']);

/** Returns a choice that something else decides unless the link does. */
const inherited = (name: string, label: string, otherwise: string) => ({
  ...select(name, label, [
    ['', otherwise],
    ['true', 'yes'],
    ['false', 'no'],
  ]),
  kind: 'json' as const,
});

const fields = [
  field('redirectType', 'Redirect', { kind: 'json', options: statuses }),
  field('title', 'Title', { hint: (filling) => <FetchTitle {...filling} /> }),
  field('tags', 'Tags', { kind: 'tags', hint: 'Separated by commas.' }),
  field('category', 'Category'),
  field('description', 'Notes'),
  section('Start, end and access', [
    field('activatesAt', 'Starts at', { kind: 'datetime-local' }),
    field('expiresAt', 'Ends at', { kind: 'datetime-local' }),
    field('expiredUrl', 'After the end, lead to', { kind: 'url' }),
    field('maxClicks', 'Most clicks', { kind: 'number', min: 1 }),
    field('password', 'Password', {
      autocomplete: 'off',
      hint: 'Visitors must enter it. It is never shown again.',
    }),
    field('isPasswordProtected', 'Ask visitors for the password', { kind: 'check' }),
    inherited('forwardQuery', 'Forward the query', 'as its domain'),
    inherited('forwardPath', 'Forward the path', 'as its domain'),
    inherited('infoPage', 'Show where it leads at its address with +', 'as the server'),
    field('publicStats', 'Show its clicks there', { kind: 'check' }),
  ]),
  section(
    'UTM parameters',
    ['Source', 'Medium', 'Campaign', 'Term', 'Content'].map((name) => field(`utm${name}`, name)),
  ),
  section('Link preview', [
    field('preview.title', 'Preview title'),
    field('preview.description', 'Preview text'),
    field('preview.imageUrl', 'Preview image', { kind: 'url' }),
  ]),
  section('Other destinations for some visits', [
    field('rules', 'Rule', {
      kind: 'rules',
      hint: 'The first rule that matches a visit decides. Without conditions, it matches all.',
      rows: [
        field('name', 'Name'),
        field('when.country', 'Countries', { kind: 'tags', placeholder: 'DE, AT' }),
        field('when.device', 'Devices', { kind: 'tags', placeholder: 'mobile, tablet' }),
        field('when.os', 'Systems', { kind: 'tags', placeholder: 'iOS, Android' }),
        field('when.browser', 'Browsers', { kind: 'tags', placeholder: 'Safari' }),
        field('when.language', 'Languages', { kind: 'tags', placeholder: 'de' }),
        field('when.referrer', 'Referrers', { kind: 'tags', placeholder: 'example.com' }),
        field('when.query', 'Query', { kind: 'query', placeholder: 'ref=mail' }),
        field('when.after', 'From', { kind: 'datetime-local' }),
        field('when.before', 'Until', { kind: 'datetime-local' }),
        field('targetUrl', 'Leads to', { kind: 'url' }),
        field('variants', 'Or divide the visitors: a weight and a destination a line', {
          kind: 'variants',
          placeholder: '50 https://example.com/a',
        }),
      ],
    }),
  ]),
];

const targetUrl = field('targetUrl', 'Destination', { kind: 'url', required: true });

/** Makes a new link: `/links/new?url=…`. */
export function NewLink() {
  const [, navigate] = useLocation();
  const domains = useDomains({ isActive: true });
  return (
    <Screen title="New link">
      <Form<UrlCreateRequest>
        fields={[targetUrl, ...newFields(domains), ...fields]}
        initial={{ targetUrl: new URLSearchParams(location.search).get('url'), redirectType: 307 }}
        action="Shorten"
        save={async (request) => {
          const url = await api.urls.create(withPassword(request));
          await copyText(url.shortUrl);
          navigate(`/links/${url.id}`);
        }}
      >
        {({ request }) => <SameCommand call="POST urls" body={withPassword(request())} />}
      </Form>
    </Screen>
  );
}

/** Returns a request in which somebody who sets a password wants visitors to be asked for it. */
const withPassword = <Request extends UrlCreateRequest | UrlUpdateRequest>(
  request: Request,
): Request => (request.password ? { ...request, isPasswordProtected: true } : request);

/** Shows and changes a link. */
export function LinkEditor({ params: { id } }: { readonly params: { readonly id: string } }) {
  const read = () => api.urls.get(id).withResponse();
  const { value, error, setValue } = useLoaded(id, read);
  // What somebody wants to change although somebody else has changed the link meanwhile.
  const [refused, setRefused] = useState<UrlUpdateRequest>();
  if (!value) return <Loading error={error} />;
  const { data: url, response } = value;
  const save = async (request: UrlUpdateRequest) => {
    const changes = withPassword(request);
    try {
      setValue(await api.urls.update(id, changes, { ifMatch: response.etag }).withResponse());
    } catch (reason) {
      if (!(reason instanceof ConflictError && reason.code === 'PRECONDITION_FAILED')) throw reason;
      setRefused(changes);
      setValue(await read());
      // The form keeps what was entered, and now replaces the version that was just read.
      throw new Error('Nothing was saved. Compare both versions first.');
    }
    setRefused(undefined);
  };
  const isWriter = may('urls:write');
  return (
    <Screen title={url.title ?? url.shortUrl}>
      <p class="row">
        <a href={url.shortUrl}>{url.shortUrl}</a>
        <CopyButton text={url.shortUrl} label={url.shortUrl} />
        <Link href={`/report/${id}`}>Report</Link>
        <Link href={`/links/${id}/qr`}>QR code</Link>
      </p>
      <Form<UrlUpdateRequest>
        fields={[targetUrl, ...fields]}
        record={url}
        action={isWriter ? (refused ? 'Save yours' : 'Save') : undefined}
        save={save}
        done={`Saved ${url.shortUrl}`}
      >
        {({ request }) => (
          <>
            {refused && <Conflict saved={url} changes={refused} />}
            {isWriter && <SameCommand call={`PATCH urls/${id}`} body={withPassword(request())} />}
          </>
        )}
      </Form>
      {url.rules.length > 0 && <TestVisit id={id} />}
    </Screen>
  );
}

type Versions = { readonly saved: UrlRecord; readonly changes: UrlUpdateRequest };

/** Shows what somebody else has saved meanwhile. The button of the form saves the person's changes. */
function Conflict({ saved, changes }: Versions) {
  const current = new Map<string, unknown>(Object.entries(saved));
  const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return (
    <Part title="Somebody has changed this link meanwhile">
      <Table heads={['Field', 'Saved meanwhile', 'Yours']}>
        {Object.entries(changes).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td data-head="Saved meanwhile">{shown(current.get(name) ?? null)}</td>
            <td data-head="Yours">{shown(value)}</td>
          </tr>
        ))}
      </Table>
      <Button onClick={() => location.reload()}>Take what was saved</Button>
    </Part>
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
    const found = await api.urls.checkSlug({ slug, domainId: domainId || undefined });
    return found.isAvailable ? 'This slug is free.' : (found.message ?? 'This slug is taken.');
  };
  const { value, error, isLoading } = useLoaded(`${domainId} ${slug}`, check, 300);
  return <>{isLoading ? 'Checking…' : error ? describeError(error) : value}</>;
}

/** The same change by the CLI and by curl. `call` is such as `PATCH urls/42`. */
function SameCommand({ call, body }: { readonly call: string; readonly body: object }) {
  const [method, path] = call.split(' ');
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  const headers = "-H 'Authorization: Bearer YOUR_API_KEY' -H 'Content-Type: application/json'";
  const url = `${location.origin}/api/v1/${path}`;
  return (
    <details>
      <summary>The same on a command line</summary>
      <pre>{`echo '${json}' | shorty api ${call} --input -`}</pre>
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
