import type { QrCreateRequest, QrPreview, QrRecord, QrUpdateRequest } from '@shorty/sdk';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api, describeError } from '../api.js';
import { ConfirmButton } from '../components/confirm.js';
import { Field, FormError, Select, useSubmit } from '../components/form.js';
import { Loading, useLoaded } from '../components/loaded.js';
import { PageEnd, pageQuery, usePages } from '../components/paged-table.js';
import { Table } from '../components/table.js';
import { Time } from '../components/time.js';
import { notify } from '../components/toasts.js';
import { may } from '../session.js';

interface Params {
  readonly params: { readonly id?: string };
}

/** How a code looks, as its fields show it. */
type Design = Record<keyof typeof plain, string>;

const plain = {
  stylePreset: 'default',
  foregroundColor: '#000000',
  backgroundColor: '#ffffff',
  background: 'solid',
  margin: '4',
  logoUrl: '',
  format: 'png',
  size: '512',
  errorCorrectionLevel: 'M',
};

const choices = {
  stylePreset: [
    ['default', 'Squares'],
    ['rounded', 'Rounded'],
    ['dots', 'Dots'],
    ['classy', 'Classy'],
  ],
  background: [
    ['solid', 'Filled'],
    ['transparent', 'Transparent'],
  ],
  format: [
    ['png', 'PNG'],
    ['svg', 'SVG'],
    ['webp', 'WebP'],
  ],
  errorCorrectionLevel: [
    ['L', 'Low: 7 % may be damaged'],
    ['M', 'Medium: 15 %'],
    ['Q', 'Quartile: 25 %'],
    ['H', 'High: 30 %, for a logo'],
  ],
} as const;

function designOf({ errorCorrection, logoUrl, margin, size, ...record }: QrRecord): Design {
  return {
    ...record,
    errorCorrectionLevel: errorCorrection,
    logoUrl: logoUrl ?? '',
    margin: `${margin}`,
    size: `${size}`,
  };
}

function requestOf({ logoUrl, margin, size, ...design }: Design): QrCreateRequest {
  const picked = Object.fromEntries(
    Object.keys(choices).map((name) => [name, design[name as keyof typeof choices]]),
  );
  return {
    ...picked,
    foregroundColor: design.foregroundColor,
    backgroundColor: design.backgroundColor,
    logoUrl: logoUrl.trim() || null,
    margin: Number(margin),
    size: Number(size),
  };
}

/** Returns what a person has changed: the server fetches a logo again only if its address changes. */
function changesOf(record: QrRecord, design: Design): QrUpdateRequest {
  const before = new Map(Object.entries(requestOf(designOf(record))));
  const changes = Object.entries(requestOf(design)).filter(
    ([name, value]) => value !== before.get(name),
  );
  return Object.fromEntries(changes);
}

/** What a code contains: an existing link, or any text. */
const payloadOf = ({ urlId, qrData }: QrRecord): QrCreateRequest =>
  urlId === null ? { data: qrData } : { urlId };

/** All codes of an organization. */
export function QrCodes() {
  return (
    <>
      <h1>QR codes</h1>
      {may('qr:write') && (
        <p>
          <Link href="/qr/new">New code of any text</Link>. A code of a link is made from the list
          of links.
        </p>
      )}
      <CodeList />
    </>
  );
}

/** A new code of a text, such as the access to a Wi-Fi. */
export function NewQr() {
  const [data, setData] = useState('');
  return (
    <>
      <h1>New QR code</h1>
      <Field
        label="Text"
        hint="What scanners read, such as an address or WIFI:T:WPA;S:Guests;P:open sesame;;"
        maxLength={2048}
        value={data}
        onInput={({ currentTarget }) => setData(currentTarget.value)}
      />
      <Designer payload={data === '' ? undefined : { data }} />
    </>
  );
}

/** The codes of a link, and a new one. */
export function LinkQr({ params: { id = '' } }: Params) {
  const { value: url, error } = useLoaded(id, () => api.urls.get(id));
  if (!url) return <Loading error={error} />;
  return (
    <>
      <h1>QR code of {url.shortUrl.replace(/^https?:\/\//, '')}</h1>
      {url.title !== null && <p>{url.title}</p>}
      {may('qr:write') && <Designer payload={{ urlId: id }} />}
      <h2>Codes of this link</h2>
      <CodeList urlId={id} />
    </>
  );
}

/** One code: its picture, its looks and its download. */
export function QrScreen({ params: { id = '' } }: Params) {
  const [, navigate] = useLocation();
  const { value: record, error, setValue } = useLoaded(id, () => api.qr.get(id));
  if (!record) return <Loading error={error} />;
  return (
    <>
      <h1>QR code</h1>
      <p class="target">{record.qrData}</p>
      <p class="actions">
        <Download record={record} />
        {record.urlId !== null && <Link href={`/links/${record.urlId}`}>Link</Link>}
        <DeleteCode record={record} onDeleted={() => navigate('/qr')} />
      </p>
      {may('qr:write') ? (
        <Designer key={record.updatedAt} record={record} onSaved={setValue} />
      ) : (
        <Picture request={{ ...requestOf(designOf(record)), ...payloadOf(record) }} />
      )}
    </>
  );
}

function CodeList({ urlId }: { readonly urlId?: string }) {
  const list = usePages<QrRecord>('', (after) =>
    api.qr.list({
      ...pageQuery(after),
      ...(urlId !== undefined && { urlId }),
    }),
  );
  return (
    <>
      <Table heads={['Leads to', 'Picture', 'Scans', 'Created', 'Actions']}>
        {list.items.map((record) => (
          <tr key={record.id}>
            <td>
              <Link href={`/qr/${record.id}`}>{record.qrData}</Link>
            </td>
            <td>
              {record.format.toUpperCase()}, {record.size} px
            </td>
            <td>{record.scanCount.toLocaleString()} scans</td>
            <td>
              <Time at={record.createdAt} />
            </td>
            <td class="actions">
              <Download record={record} />
              <DeleteCode record={record} onDeleted={list.reload} />
            </td>
          </tr>
        ))}
      </Table>
      <PageEnd list={list} none="No codes yet." />
    </>
  );
}

function Download({ record: { downloadUrl, qrData, format } }: { readonly record: QrRecord }) {
  const name = `Download ${format.toUpperCase()}`;
  return (
    <a href={downloadUrl} download aria-label={`${name}: code of ${qrData}`}>
      {name}
    </a>
  );
}

function DeleteCode({
  record: { id, qrData },
  onDeleted,
}: {
  readonly record: QrRecord;
  readonly onDeleted: () => void;
}) {
  if (!may('qr:write')) return null;
  return (
    <ConfirmButton
      action="Delete"
      label={`Delete the code of ${qrData}`}
      title="Delete this QR code?"
      work={async () => {
        await api.qr.delete(id);
        notify('Deleted the QR code');
        onDeleted();
      }}
    >
      This cannot be undone. The server no longer has its picture, and no longer counts its scans.
      Printed copies still lead to <span class="target">{qrData}</span>
    </ConfirmButton>
  );
}

/** The fields of a code beside its picture. Without a record, it creates one. */
function Designer({
  payload: given,
  record,
  onSaved,
}: {
  /** What a new code contains; undefined while there is nothing. */
  readonly payload?: QrCreateRequest | undefined;
  readonly record?: QrRecord;
  readonly onSaved?: (record: QrRecord) => void;
}) {
  const [, navigate] = useLocation();
  const [design, setDesign] = useState<Design>(record ? designOf(record) : plain);
  const payload = record ? payloadOf(record) : given;
  const request = { ...requestOf(design), ...payload };
  const { submit, errors, isBusy } = useSubmit(async () => {
    if (record) {
      onSaved?.(await api.qr.update(record.id, changesOf(record, design)));
      notify('Saved the QR code');
    } else {
      const { id } = await api.qr.create(request);
      notify('Created the QR code');
      navigate(`/qr/${id}`);
    }
  });
  const field = (name: keyof Design) => ({
    value: design[name],
    error: errors.fields[name],
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setDesign({ ...design, [name]: currentTarget.value }),
  });
  return (
    <div class="design">
      <form onSubmit={submit}>
        <Select
          label="Modules"
          hint={record && 'The shape stays as it was created.'}
          disabled={record !== undefined}
          options={choices.stylePreset}
          {...field('stylePreset')}
        />
        <div class="filters">
          <Field label="Colour" type="color" {...field('foregroundColor')} />
          <Field label="Background colour" type="color" {...field('backgroundColor')} />
          <Select label="Background" options={choices.background} {...field('background')} />
        </div>
        <Field
          label="Logo"
          type="url"
          placeholder="https://example.com/logo.png"
          hint="The address of a PNG, JPEG, WebP or simple SVG for the centre."
          {...field('logoUrl')}
        />
        <div class="filters">
          <Field
            label="Margin"
            type="number"
            min={0}
            max={16}
            required
            hint="In modules. Scanners need 4."
            {...field('margin')}
          />
          <Field
            label="Size"
            type="number"
            min={200}
            max={2048}
            required
            hint="In pixels."
            {...field('size')}
          />
          <Select label="Format" options={choices.format} {...field('format')} />
        </div>
        <Select
          label="Error correction"
          options={choices.errorCorrectionLevel}
          {...field('errorCorrectionLevel')}
        />
        <FormError errors={errors} />
        <button type="submit" disabled={isBusy || payload === undefined}>
          {record ? 'Save' : 'Create'}
        </button>
      </form>
      {payload && <Picture request={request} />}
    </div>
  );
}

const previewAfterMs = 300;

interface Drawn {
  readonly picture?: QrPreview;
  /** Why there is no picture. */
  readonly problem?: string;
}

/** What the server draws, and whether it could read it. Nothing is stored or charged. */
function Picture({ request }: { readonly request: QrCreateRequest }) {
  const [{ picture, problem }, setDrawn] = useState<Drawn>({});
  const key = JSON.stringify(request);
  useEffect(() => {
    const abort = new AbortController();
    const draw = async () => {
      const drawn = await api.qr
        .preview(request, { signal: abort.signal })
        .then((picture): Drawn => ({ picture }))
        .catch((error: unknown): Drawn => ({ problem: describeError(error) }));
      if (!abort.signal.aborted) setDrawn(drawn);
    };
    const timer = setTimeout(() => void draw(), previewAfterMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  return (
    <figure class="picture">
      {picture && (
        <img
          src={picture.image}
          alt={`QR code of ${picture.qrData}`}
          style={{ backgroundColor: request.backgroundColor ?? '' }}
        />
      )}
      <figcaption>
        <p role="status" class={problem === undefined ? '' : 'error'}>
          {problem ?? (picture ? 'The server has read this picture: it scans.' : 'Drawing…')}
        </p>
      </figcaption>
    </figure>
  );
}
