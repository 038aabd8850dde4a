import { FileError, type LinkSource, linkSources } from '@shorty/import';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { describeError } from '../api.js';
import { download } from '../components/download.js';
import { Check, type Field, FieldRow, type Option, optionsOf } from '../components/field.js';
import { FormError, useSubmit } from '../components/form.js';
import { useLoaded } from '../components/loaded.js';
import { Heading } from '../components/part.js';
import { Table } from '../components/table.js';
import { readActiveDomains } from '../domains.js';
import {
  type BadRow,
  badRowsText,
  type Checked,
  checkSheet,
  describeColumn,
  fieldNames,
  ignored,
  importSheet,
  openSheet,
  type Progress,
  type Reading,
  type Settings,
  type Sheet,
} from '../import-file.js';
import { me } from '../session.js';
import { countOf } from '../texts.js';

const delimiters: readonly Option[] = [
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'pipe'],
];
const encodings = ['utf-8', 'utf-16le', 'windows-1252', 'iso-8859-2', 'shift_jis'];
const services = Object.values<LinkSource>(linkSources);

/** What somebody can say of a file, after what was detected. */
function readingFields(sheet: Sheet | undefined): readonly Field[] {
  const { source, encoding = 'encoding', delimiter = 'delimiter' } = sheet ?? {};
  const named = delimiters.find(([each]) => each === delimiter)?.[1] ?? delimiter;
  const choose = (name: string, label: string, detected: string, others: readonly Option[]) => {
    const options = [['', `${detected} (detected)`] as const, ...others];
    return { name, label, kind: 'select', options } as const;
  };
  return [
    choose(
      'source',
      'Written by',
      source?.title ?? 'Shorty or a spreadsheet',
      services.map(({ name, title }) => [name, title]),
    ),
    choose('encoding', 'Encoding', encoding, optionsOf(encodings)),
    choose('delimiter', 'Columns are separated by', named, delimiters),
  ];
}

/** Makes links of the rows of a file. */
export function Import() {
  const [file, setFile] = useState<File>();
  const [reading, setReading] = useState<Reading>({ source: '', encoding: '', delimiter: '' });
  const [settings, setSettings] = useState<Settings>();
  const [error, setError] = useState('');
  const { value: own = [] } = useLoaded('domains', readActiveDomains);
  useEffect(() => {
    if (!file) return;
    setError('');
    // The links on a domain of the organization stay on it.
    const domains = new Map(own.map(([id, hostname]) => [hostname, id]));
    openSheet(file, reading).then(
      (sheet) => setSettings({ sheet, uses: new Map(), hasNewCodes: false, domains }),
      (reason: unknown) => {
        const hint = reason instanceof FileError && reason.hint ? `; ${reason.hint}` : '';
        setError(`${describeError(reason)}${hint}`);
        setSettings(undefined);
      },
    );
  }, [file, reading, own]);
  const filling = {
    draft: { ...reading },
    set: (name: string, entry: unknown) => setReading({ ...reading, [name]: entry }),
  };
  return (
    <>
      <Heading>Import links</Heading>
      <ChooseFile onChosen={setFile} />
      {file && (
        <div class="filters">
          {readingFields(settings?.sheet).map((field) => (
            <FieldRow key={field.name} field={field} filling={filling} />
          ))}
        </div>
      )}
      <FormError message={error} />
      {settings && (
        <OpenSheet
          key={settings.sheet.hash}
          settings={settings}
          domains={[['', location.host], ...own]}
          onChanged={(changes) => setSettings({ ...settings, ...changes })}
        />
      )}
    </>
  );
}

function ChooseFile({ onChosen }: { readonly onChosen: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const drag = (isInside: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(isInside);
  };
  const choose = (files: FileList | null | undefined) => files?.[0] && onChosen(files[0]);
  return (
    <label
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        choose(event.dataTransfer?.files);
      }}
    >
      A CSV file, or an export of another service. Drop it here, or choose it:
      <input
        type="file"
        accept=".csv,.tsv,.txt,.json,.ndjson,text/csv,application/json"
        onChange={({ currentTarget }) => choose(currentTarget.files)}
      />
    </label>
  );
}

interface SheetProps {
  readonly settings: Settings;
  /** The domains on which links can be made. */
  readonly domains: readonly (readonly [id: string, hostname: string])[];
  readonly onChanged: (changes: Partial<Settings>) => void;
}

/** A file with its columns, its check and its import. */
function OpenSheet({ settings, domains, onChanged }: SheetProps) {
  const { sheet, hasNewCodes } = settings;
  const [isStarted, setStarted] = useState(false);
  const { checked, error } = useCheck(settings);
  if (isStarted && checked) return <Running settings={settings} total={checked.rows} />;
  return (
    <>
      <Columns settings={settings} domains={domains} onChanged={onChanged} />
      {sheet.source && (
        <Check
          label="Give the links new short codes"
          checked={hasNewCodes}
          onChecked={(hasNewCodes) => onChanged({ hasNewCodes })}
        />
      )}
      <h2>Check</h2>
      <FormError message={error} />
      {error === '' && !checked && <p role="status">Checking all rows…</p>}
      {error === '' && checked && (
        <>
          {domains.length > 1 && (
            <Hosts hosts={checked.hosts} {...{ settings, domains, onChanged }} />
          )}
          <Findings sheet={sheet} checked={checked} />
          <button
            type="submit"
            disabled={checked.bad.length === checked.rows}
            onClick={() => setStarted(true)}
          >
            Import {countOf(checked.rows - checked.bad.length, 'link')}
          </button>
        </>
      )}
    </>
  );
}

/** The dry run, which starts again when the settings change. */
function useCheck(settings: Settings) {
  const [checked, setChecked] = useState<Checked>();
  const [error, setError] = useState('');
  useEffect(() => {
    const abort = new AbortController();
    setChecked(undefined);
    setError('');
    checkSheet(settings, abort.signal)
      .then(setChecked)
      .catch((reason: unknown) => !abort.signal.aborted && setError(describeError(reason)));
    return () => abort.abort();
  }, [settings]);
  return { checked, error };
}

function Columns({ settings: { sheet, uses }, onChanged }: SheetProps) {
  return (
    <>
      <h2>Columns</h2>
      <Table heads={['Column', 'First value', 'Becomes']}>
        {sheet.header.cells.map((title, index) => (
          <tr key={`${index} ${title}`}>
            <td>{title}</td>
            <td class="hint">{(sheet.example[index] ?? '').slice(0, 100)}</td>
            <td>
              <select
                aria-label={`Field of ${title || `column ${index + 1}`}`}
                value={uses.get(title) ?? ''}
                onChange={({ currentTarget }) =>
                  onChanged({ uses: new Map([...uses, [title, currentTarget.value]]) })
                }
              >
                <option value="">{describeColumn(title, sheet)}</option>
                <option value={ignored}>Ignore</option>
                {fieldNames.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** The hosts of old short links, and the domain on which the links of each are made. */
function Hosts({
  hosts,
  settings,
  domains,
  onChanged,
}: SheetProps & { readonly hosts: readonly string[] }) {
  return (
    <>
      {hosts.map((host) => (
        <FieldRow
          key={host}
          field={{
            name: host,
            label: `Links of ${host} move to`,
            kind: 'select',
            options: domains,
          }}
          filling={{
            draft: Object.fromEntries(settings.domains),
            set: (name, id) =>
              onChanged({ domains: new Map([...settings.domains, [name, `${id}`]]) }),
          }}
        />
      ))}
    </>
  );
}

function Findings({ sheet, checked }: { readonly sheet: Sheet; readonly checked: Checked }) {
  const { rows, bad, paused, notKept } = checked;
  return (
    <>
      <p role="status">
        {countOf(rows, 'row')}: {(rows - bad.length).toLocaleString()} can be imported,{' '}
        {bad.length.toLocaleString()} cannot.
      </p>
      {paused > 0 && (
        <p>
          {countOf(paused, 'link')} will be paused: expired, used up, or with a password that the
          file does not have.
        </p>
      )}
      {[...notKept].map(([setting, links]) => (
        <p key={setting}>
          Not kept: {setting} of {countOf(links, 'link')}.
        </p>
      ))}
      <BadRows sheet={sheet} bad={bad} />
    </>
  );
}

const maxListed = 100;

/** The rows that make no link, with the reason, and all of them as a file. */
function BadRows({ sheet, bad }: { readonly sheet: Sheet; readonly bad: readonly BadRow[] }) {
  if (bad.length === 0) return null;
  const name = `bad-${sheet.name.replace(/\.(json|ndjson)$/i, '.csv')}`;
  return (
    <>
      <ul>
        {bad.slice(0, maxListed).map(({ line, error }) => (
          <li key={line}>
            Line {line}: {error}
          </li>
        ))}
      </ul>
      {bad.length > maxListed && <p>And {countOf(bad.length - maxListed, 'more row')}.</p>}
      <button type="button" onClick={() => download(name, 'text/csv', badRowsText(sheet, bad))}>
        Download the bad rows
      </button>
    </>
  );
}

/** The import itself. */
function Running({ settings, total }: { readonly settings: Settings; readonly total: number }) {
  const [progress, setProgress] = useState<Progress>({ rows: 0, created: 0, replayed: 0, bad: [] });
  const [isDone, setDone] = useState(false);
  const abort = useRef(new AbortController());
  const { submit, errors, isBusy } = useSubmit(async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    const organizationId = me.value?.organization.id ?? '';
    await importSheet(settings, organizationId, { signal, onProgress: setProgress });
    setDone(true);
  });
  const { rows, created, replayed, bad } = progress;
  useEffect(() => {
    void submit(new Event('submit'));
    return () => abort.current.abort();
  }, []);
  return (
    <form onSubmit={submit} aria-labelledby="import">
      <h2 id="import">{isDone ? 'Imported' : 'Importing'}</h2>
      <progress max={total} value={rows} aria-label="Rows" />
      <p role="status">
        {rows.toLocaleString()} of {countOf(total, 'row')}: {countOf(created, 'link')} made,{' '}
        {bad.length.toLocaleString()} failed.
        {replayed > 0 &&
          ` An earlier import of this file had made ${replayed.toLocaleString()} of them; none was made twice.`}
      </p>
      {isBusy && (
        <button type="button" onClick={() => abort.current.abort(new Error('Stopped.'))}>
          Stop
        </button>
      )}
      <FormError message={errors.message} />
      {!isBusy && !isDone && (
        <>
          <p>The rows so far are imported. To go on makes no link twice.</p>
          <button type="submit">Go on</button>
        </>
      )}
      {isDone && <Link href="/">To the links</Link>}
      {!isBusy && <BadRows sheet={settings.sheet} bad={bad} />}
    </form>
  );
}
