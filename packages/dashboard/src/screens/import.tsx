import { FileError, type LinkSource, linkSources } from '@shorty/import';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { describeError } from '../api.js';
import { download } from '../components/download.js';
import { Check, FormError, Select, useSubmit } from '../components/form.js';
import { Table } from '../components/table.js';
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
  type Settings,
  type Sheet,
  type Source,
} from '../import-file.js';
import { me } from '../session.js';

const sources: readonly (readonly [string, string])[] = [
  ['', 'Shorty or a spreadsheet'],
  ...Object.values<LinkSource>(linkSources).map(({ name, title }) => [name, title] as const),
];

const count = (amount: number, one: string) =>
  amount === 1 ? `1 ${one}` : `${amount.toLocaleString()} ${one}s`;

/** Makes links of the rows of a file. */
export function Import() {
  const [file, setFile] = useState<File | undefined>();
  const [settings, setSettings] = useState<Settings | undefined>();
  const [error, setError] = useState('');
  const open = async (opened: File, source?: Source) => {
    setFile(opened);
    setError('');
    setSettings(undefined);
    try {
      const sheet = await openSheet(opened, source);
      setSettings({ sheet, uses: new Map(), hasNewCodes: false });
    } catch (reason) {
      const hint = reason instanceof FileError && reason.hint ? `; ${reason.hint}` : '';
      setError(`${describeError(reason)}${hint}`);
    }
  };
  return (
    <>
      <h1>Import links</h1>
      <ChooseFile onChosen={(chosen) => void open(chosen)} />
      {file && (
        <Select
          label="Written by"
          value={settings?.sheet.source ?? ''}
          options={sources}
          onChange={({ currentTarget }) => void open(file, currentTarget.value as Source)}
        />
      )}
      {error !== '' && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {settings && (
        <OpenSheet key={settings.sheet.hash} settings={settings} onChanged={setSettings} />
      )}
    </>
  );
}

function ChooseFile({ onChosen }: { readonly onChosen: (file: File) => void }) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const drag = (isInside: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(isInside);
  };
  return (
    <section
      class={isOver ? 'drop over' : 'drop'}
      aria-label="File"
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        const dropped = event.dataTransfer?.files[0];
        if (dropped) onChosen(dropped);
      }}
    >
      <label for={id}>
        A CSV file, or an export of another service. Drop it here, or choose it:
      </label>
      <input
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,.json,.ndjson,text/csv,application/json"
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.files?.[0];
          if (chosen) onChosen(chosen);
        }}
      />
    </section>
  );
}

/** A file with its columns, its check and its import. */
function OpenSheet({
  settings,
  onChanged,
}: {
  readonly settings: Settings;
  readonly onChanged: (settings: Settings) => void;
}) {
  const { sheet, hasNewCodes } = settings;
  const [isStarted, setStarted] = useState(false);
  const { checked, error } = useCheck(settings);
  if (isStarted && checked) return <Running settings={settings} total={checked.rows} />;
  return (
    <>
      <Columns settings={settings} onChanged={onChanged} />
      {sheet.source !== '' && (
        <Check
          label="Give the links new short codes"
          checked={hasNewCodes}
          onChange={() => onChanged({ ...settings, hasNewCodes: !hasNewCodes })}
        />
      )}
      <section aria-labelledby="check">
        <h2 id="check">Check</h2>
        {error !== '' && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
        {error === '' && !checked && <p role="status">Checking all rows…</p>}
        {error === '' && checked && (
          <>
            <Findings sheet={sheet} checked={checked} />
            <form
              onSubmit={(event) => {
                event.preventDefault();
                setStarted(true);
              }}
            >
              <button type="submit" disabled={checked.bad.length === checked.rows}>
                Import {count(checked.rows - checked.bad.length, 'link')}
              </button>
            </form>
          </>
        )}
      </section>
    </>
  );
}

/** The dry run, which starts again when the settings change. */
function useCheck(settings: Settings) {
  const [checked, setChecked] = useState<Checked | undefined>();
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

function Columns({
  settings,
  onChanged,
}: {
  readonly settings: Settings;
  readonly onChanged: (settings: Settings) => void;
}) {
  const { sheet, uses } = settings;
  return (
    <section aria-labelledby="columns">
      <h2 id="columns">Columns</h2>
      {sheet.encoding !== 'utf-8' && <p class="hint">Read as {sheet.encoding}.</p>}
      <Table heads={['Column', 'First value', 'Becomes']}>
        {sheet.header.cells.map((title, index) => (
          <tr key={`${index} ${title}`}>
            <td>{title}</td>
            <td class="example">{(sheet.example[index] ?? '').slice(0, 100)}</td>
            <td>
              <select
                aria-label={`Field of ${title || `column ${index + 1}`}`}
                value={uses.get(title) ?? ''}
                onChange={({ currentTarget }) =>
                  onChanged({
                    ...settings,
                    uses: new Map([...uses, [title, currentTarget.value]]),
                  })
                }
              >
                <option value="">{describeColumn(title, sheet.source)}</option>
                <option value={ignored}>Ignore</option>
                {fieldNames.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Findings({ sheet, checked }: { readonly sheet: Sheet; readonly checked: Checked }) {
  const { rows, bad, paused, notKept } = checked;
  return (
    <>
      <p role="status">
        {count(rows, 'row')}: {(rows - bad.length).toLocaleString()} can be imported,{' '}
        {bad.length.toLocaleString()} cannot.
      </p>
      {paused > 0 && (
        <p>
          {count(paused, 'link')} will be paused: expired, used up, or with a password that the file
          does not have.
        </p>
      )}
      {Object.entries(notKept).map(([setting, links]) => (
        <p key={setting}>
          Not kept: {setting} of {count(links, 'link')}.
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
  const save = () => download(name, 'text/csv', badRowsText(sheet, bad));
  return (
    <>
      <ul class="bad-rows">
        {bad.slice(0, maxListed).map(({ line, error }) => (
          <li key={line}>
            Line {line}: {error}
          </li>
        ))}
      </ul>
      {bad.length > maxListed && <p>And {count(bad.length - maxListed, 'more row')}.</p>}
      <p>
        <button type="button" onClick={save}>
          Download the bad rows
        </button>
      </p>
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
        {rows.toLocaleString()} of {count(total, 'row')}: {count(created, 'link')} made,{' '}
        {bad.length.toLocaleString()} failed.
        {replayed > 0 &&
          ` An earlier import of this file had made ${replayed.toLocaleString()} of them; none was made twice.`}
      </p>
      {isBusy && (
        <button type="button" onClick={() => abort.current.abort(new Error('Stopped.'))}>
          Stop
        </button>
      )}
      <FormError errors={errors} />
      {!isBusy && !isDone && (
        <>
          <p>The rows so far are imported. To go on makes no link twice.</p>
          <button type="submit">Go on</button>
        </>
      )}
      {isDone && (
        <p>
          <Link href="/">To the links</Link>
        </p>
      )}
      {!isBusy && <BadRows sheet={settings.sheet} bad={bad} />}
    </form>
  );
}
