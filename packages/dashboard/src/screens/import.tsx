import { delimiterName, FileError } from '@shorty/import';
import { formatCount } from '@shorty/report';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { download } from '../components/download.js';
import { Button, Part, Problem, Screen, Table, useLoaded } from '../components/elements.js';
import { Check, FieldRow } from '../components/field.js';
import { useSubmit } from '../components/form.js';
import { FilterBar, useFilters } from '../components/list.js';
import { type Field, type Filling, type Option, optionsOf, select } from '../fields.js';
import {
  type BadRow,
  badRowsText,
  type Checked,
  checkSheet,
  describeColumn,
  fieldNames,
  ignored,
  importSheet,
  nameOf,
  openSheet,
  type Progress,
  type Settings,
  type Sheet,
  sources,
} from '../import-file.js';
import { useDomains } from './domains.js';

const encodings = optionsOf([
  ...['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-2', 'shift_jis'],
]);
const delimiters = optionsOf(['comma', 'semicolon', 'tab', 'pipe']);

/** What somebody can say of a file, after what was detected. */
function readingFields(sheet: Sheet | undefined): readonly Field[] {
  const { source, encoding = 'encoding', delimiter = ',' } = sheet ?? {};
  const detected = (text: string): Option => ['', `${text} (detected)`];
  return [
    select('source', 'Written by', [
      detected(source?.title ?? 'Shorty or a spreadsheet'),
      ...sources.map(({ name, title }) => [name, title] as const),
    ]),
    select('encoding', 'Encoding', [detected(encoding), ...encodings]),
    select('delimiter', 'Columns are separated by', [
      detected(delimiterName(delimiter)),
      ...delimiters,
    ]),
  ];
}

/** Makes links of the rows of a file. */
export function Import() {
  const [file, setFile] = useState<File>();
  const { search } = useFilters();
  const open = async () => file && openSheet(file, Object.fromEntries(search)).catch(withHint);
  const { value: sheet, error } = useLoaded(`${file && nameOf(file)} ${search}`, open);
  return (
    <Screen title="Import links">
      <label class="field">
        A CSV file, or an export of another service. Drop it here, or choose it:
        <input
          type="file"
          accept=".csv,.tsv,.txt,.json,.ndjson,text/csv,application/json"
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
        />
      </label>
      {file && <FilterBar filters={readingFields(sheet)} />}
      <Problem error={error} />
      {sheet && !error && <OpenSheet key={`${nameOf(sheet.file)} ${search}`} sheet={sheet} />}
    </Screen>
  );
}

function withHint(reason: unknown): never {
  const hint = reason instanceof FileError && reason.hint;
  throw hint ? new Error(`${reason.message}; ${hint}`) : reason;
}

/** What somebody picks for each of some names. */
function usePicks() {
  const [picks, setPicks] = useState<ReadonlyMap<string, string>>(new Map());
  const set = (name: string, pick: unknown) => setPicks(new Map([...picks, [name, `${pick}`]]));
  return { picks, filling: { draft: Object.fromEntries(picks), set } };
}

/** A file with its columns, its check and its import. */
function OpenSheet({ sheet }: { readonly sheet: Sheet }) {
  const [hasNewCodes, setNewCodes] = useState(false);
  const uses = usePicks();
  const moves = usePicks();
  const own = useDomains({ isActive: true });
  // The links on a domain of the organization stay on it.
  const domains = new Map([...own.map(([id, name]) => [name, id] as const), ...moves.picks]);
  const settings = { sheet, uses: uses.picks, hasNewCodes, domains };
  const [isStarted, setStarted] = useState(false);
  // The dry run, which starts again when the settings change.
  const read = [sheet.source?.name, sheet.encoding, sheet.delimiter];
  const choices = JSON.stringify([...uses.picks, ...domains, hasNewCodes, ...read]);
  const { value, error, isLoading } = useLoaded(choices, (signal) => checkSheet(settings, signal));
  const checked = isLoading || error ? undefined : value;
  if (isStarted && checked) return <Running settings={settings} total={checked.rows} />;
  return (
    <>
      <Columns sheet={sheet} filling={uses.filling} />
      {sheet.source && (
        <Check
          label="Give the links new short codes"
          checked={hasNewCodes}
          onChecked={setNewCodes}
        />
      )}
      <Part title="Check">
        <Problem error={error} />
        {isLoading && <p role="status">Checking all rows…</p>}
        {own.length > 0 &&
          checked?.hosts.map((host) => (
            <FieldRow
              key={host}
              field={select(host, `Links of ${host} move to`, [['', location.host], ...own])}
              filling={moves.filling}
            />
          ))}
        {checked && <Findings sheet={sheet} checked={checked} />}
        {checked && (
          <button
            type="submit"
            disabled={checked.bad.length === checked.rows}
            onClick={() => setStarted(true)}
          >
            Import {formatCount(checked.rows - checked.bad.length, 'link')}
          </button>
        )}
      </Part>
    </>
  );
}

function Columns({ sheet, filling }: { readonly sheet: Sheet; readonly filling: Filling }) {
  const options = (title: string): readonly Option[] => [
    ['', describeColumn(title, sheet)],
    [ignored, 'Ignore'],
    ...optionsOf(fieldNames),
  ];
  return (
    <Part title="Columns">
      <Table heads={['Column', 'First value', 'Becomes']}>
        {sheet.header.cells.map((title, index) => (
          <tr key={`${index} ${title}`}>
            <td>{title}</td>
            <td>{(sheet.example[index] ?? '').slice(0, 100)}</td>
            <td>
              <FieldRow
                field={select(title, `Field of ${title || `column ${index + 1}`}`, options(title))}
                filling={filling}
              />
            </td>
          </tr>
        ))}
      </Table>
    </Part>
  );
}

function Findings({ sheet, checked }: { readonly sheet: Sheet; readonly checked: Checked }) {
  const { rows, bad, paused, notKept } = checked;
  return (
    <>
      <p role="status">
        {formatCount(rows, 'row')}: {(rows - bad.length).toLocaleString()} can be imported,{' '}
        {bad.length.toLocaleString()} cannot.
      </p>
      {paused > 0 && (
        <p>
          {formatCount(paused, 'link')} will be paused: expired, used up, or with a password that
          the file does not have.
        </p>
      )}
      {[...notKept].map(([setting, links]) => (
        <p key={setting}>
          Not kept: {setting} of {formatCount(links, 'link')}.
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
  const name = `bad-${sheet.file.name.replace(/\.(json|ndjson)$/i, '.csv')}`;
  return (
    <>
      <ul>
        {bad.slice(0, maxListed).map(({ line, error }) => (
          <li key={line}>
            Line {line}: {error}
          </li>
        ))}
      </ul>
      {bad.length > maxListed && <p>And {formatCount(bad.length - maxListed, 'more row')}.</p>}
      <Button onClick={() => download(name, 'text/csv', badRowsText(sheet, bad))}>
        Download the bad rows
      </Button>
    </>
  );
}

/** The import itself. */
function Running({ settings, total }: { readonly settings: Settings; readonly total: number }) {
  const [progress, setProgress] = useState<Progress>({ rows: 0, created: 0, replayed: 0, bad: [] });
  const [isDone, setDone] = useState(false);
  const abort = useRef(new AbortController());
  const { submit, error, isBusy } = useSubmit(async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    addEventListener('beforeunload', (event) => event.preventDefault(), { signal });
    await importSheet(settings, { signal, onProgress: setProgress }).finally(stop);
    setDone(true);
  });
  const { rows, created, replayed, bad } = progress;
  useEffect(() => {
    void submit(new Event('submit'));
    return () => abort.current.abort();
  }, []);
  const stop = () => abort.current.abort(new Error('Stopped.'));
  return (
    <form onSubmit={submit}>
      <h2>{isDone ? 'Imported' : 'Importing'}</h2>
      <progress max={total} value={rows} aria-label="Rows" />
      <p role="status">
        {rows.toLocaleString()} of {formatCount(total, 'row')}: {formatCount(created, 'link')} made,{' '}
        {bad.length.toLocaleString()} failed.
        {replayed > 0 &&
          ` An earlier import of this file had made ${replayed.toLocaleString()} of them; none was made twice.`}
      </p>
      {isBusy && <Button onClick={stop}>Stop</Button>}
      <Problem error={error} />
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
