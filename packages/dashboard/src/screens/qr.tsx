import type { QrCreateRequest, QrListQuery, QrRecord, QrUpdateRequest } from '@shorty/sdk';
import { Link, useLocation } from 'wouter-preact';
import { Button, Loading, Screen, Time, useLoaded } from '../components/elements.js';
import { Action, Form } from '../components/form.js';
import { List } from '../components/list.js';
import { type Field, field, optionsOf, select } from '../fields.js';
import { api, may } from '../session.js';
import { describeError, withoutScheme } from '../texts.js';

const text = field('data', 'Text', {
  hint: 'What scanners read, such as an address or WIFI:T:WPA;S:Guests;P:open sesame;;',
  required: true,
});

const shapes = optionsOf(['default', 'rounded', 'dots', 'classy']);
const shape = select('stylePreset', 'Modules', shapes);

const number = { kind: 'number', min: 0, required: true } as const;

/** How a code looks, apart from the shape of its modules, which stays as it was created. */
const design: readonly Field[] = [
  field('foregroundColor', 'Colour', { kind: 'color' }),
  field('backgroundColor', 'Background colour', { kind: 'color' }),
  select('background', 'Background', optionsOf(['solid', 'transparent'])),
  field('logoUrl', 'Logo', {
    kind: 'url',
    placeholder: 'https://example.com/logo.png',
    hint: 'The address of a PNG, JPEG, WebP or simple SVG for the centre.',
  }),
  field('margin', 'Margin', { ...number, max: 16, hint: 'In modules. Scanners need 4.' }),
  field('size', 'Size', { ...number, min: 200, max: 2048, hint: 'In pixels.' }),
  select('format', 'Format', optionsOf(['png', 'svg', 'webp'])),
  select('errorCorrectionLevel', 'Error correction', [
    ['L', 'Low: 7 % may be damaged'],
    ['M', 'Medium: 15 %'],
    ['Q', 'Quartile: 25 %'],
    ['H', 'High: 30 %, for a logo'],
  ]),
];

const plain = {
  foregroundColor: '#000000',
  backgroundColor: '#ffffff',
  margin: 4,
  size: 512,
  errorCorrectionLevel: 'M',
} as const;

/** Returns the request that draws a code as it is. */
function requestOf({ urlId, qrData, errorCorrection, ...record }: QrRecord): QrCreateRequest {
  const values = new Map<string, unknown>(Object.entries(record));
  return {
    ...Object.fromEntries([shape, ...design].map(({ name }) => [name, values.get(name)])),
    ...(urlId === null ? { data: qrData } : { urlId }),
    errorCorrectionLevel: errorCorrection,
  };
}

/** All codes of an organization, and a new one of a text, such as the access to a Wi-Fi. */
export function QrCodes() {
  return (
    <Screen title="QR codes">
      {may('qr:write') && (
        <details>
          <summary>New code of any text</summary>
          <NewCode />
        </details>
      )}
      <p class="hint">A code of a link is made from the list of links.</p>
      <CodeList />
    </Screen>
  );
}

/** The codes of a link, and a new one. */
export function LinkQr({ params: { id } }: { readonly params: { readonly id: string } }) {
  const { value: url, error } = useLoaded(id, () => api.urls.get(id));
  if (!url) return <Loading error={error} />;
  return (
    <Screen title={`QR code of ${withoutScheme(url.shortUrl)}`}>
      <p>{url.title}</p>
      {may('qr:write') && <NewCode urlId={id} />}
      <h2>Codes of this link</h2>
      <CodeList urlId={id} />
    </Screen>
  );
}

function CodeList({ urlId }: { readonly urlId?: string }) {
  return (
    <List<QrRecord, QrListQuery>
      read={(query) => api.qr.list({ ...query, urlId })}
      none="No codes yet."
      columns={{
        'Leads to': ({ id, qrData }) => <Link href={`/qr/${id}`}>{qrData}</Link>,
        Picture: ({ format, size }) => `${format.toUpperCase()}, ${size} px`,
        Scans: ({ scanCount }) => `${scanCount.toLocaleString()} scans`,
        Created: ({ createdAt }) => <Time at={createdAt} />,
        Actions: (record) => <CodeActions record={record} />,
      }}
    />
  );
}

/** `to` is the screen after a deletion. */
function CodeActions({ record, to }: { readonly record: QrRecord; readonly to?: string }) {
  const { id, qrData, downloadUrl, format } = record;
  const name = `Download ${format.toUpperCase()}`;
  return (
    <>
      <a href={downloadUrl} download aria-label={`${name}: code of ${qrData}`}>
        {name}
      </a>
      {may('qr:write') && (
        <Action
          name="Delete"
          of={`the code of ${qrData}`}
          ask="This cannot be undone. The server no longer has its picture, and no longer counts its scans. Printed copies still lead to the same place."
          work={() => api.qr.delete(id)}
          done="Deleted the QR code"
          to={to}
        />
      )}
    </>
  );
}

function NewCode({ urlId }: { readonly urlId?: string }) {
  const [, navigate] = useLocation();
  const complete = (request: QrCreateRequest) => (urlId ? { ...request, urlId } : request);
  return (
    <Form<QrCreateRequest>
      class="design"
      fields={[...(urlId ? [] : [text]), shape, ...design]}
      initial={plain}
      action="Create"
      save={async (request) => {
        const { id } = await api.qr.create(complete(request));
        navigate(`/qr/${id}`);
      }}
      done="Created the QR code"
    >
      {({ request }) => <Picture request={complete(request())} />}
    </Form>
  );
}

/** One code: its picture, its looks and its download. */
export function QrScreen({ params: { id } }: { readonly params: { readonly id: string } }) {
  const { value: record, error, setValue } = useLoaded(id, () => api.qr.get(id));
  if (!record) return <Loading error={error} />;
  const drawn = requestOf(record);
  return (
    <Screen title="QR code">
      <p>{record.qrData}</p>
      <p class="row">
        <Button onClick={() => print()}>Print</Button>
        <CodeActions record={record} to="/qr" />
        {record.urlId !== null && <Link href={`/links/${record.urlId}`}>The link</Link>}
      </p>
      <Form<QrUpdateRequest>
        class="design"
        fields={design}
        record={drawn}
        action={may('qr:write') ? 'Save' : undefined}
        save={async (changes) => setValue(await api.qr.update(id, changes))}
        done="Saved the QR code"
      >
        {({ request }) => <Picture request={{ ...drawn, ...request() }} />}
      </Form>
    </Screen>
  );
}

const previewAfterMs = 300;
const scans = 'The server has read this picture: it scans.';

/** What the server draws, and whether it could read it. Nothing is stored or charged. */
function Picture({ request }: { readonly request: QrCreateRequest }) {
  const hasPayload = request.data != null || request.urlId != null;
  const draw = async (signal: AbortSignal) =>
    hasPayload ? api.qr.preview(request, { signal }) : null;
  const drawn = useLoaded(JSON.stringify(request), draw, previewAfterMs);
  const picture = drawn.error ? undefined : drawn.value;
  if (!hasPayload) return null;
  return (
    <figure>
      {picture && (
        <img
          src={picture.image}
          alt={`QR code of ${picture.qrData}`}
          style={{ backgroundColor: request.backgroundColor ?? '' }}
        />
      )}
      <p role="status" class={drawn.error ? 'error' : 'hint'}>
        {drawn.error ? describeError(drawn.error) : picture ? scans : 'Drawing…'}
      </p>
    </figure>
  );
}
