import type { AuditEntry, AuditQuery } from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Field } from '../components/form.js';
import { PageEnd, usePages } from '../components/paged-table.js';
import { Time } from '../components/time.js';

const none = { actor: '', operation: '', resource: '', since: '', until: '' };

type Filters = typeof none;

/** The start of a day in the time zone of the browser, and for the last day that of the next. */
function instantOf(day: string, offset: number): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + offset);
  return start.toISOString();
}

function queryOf({ since, until, ...texts }: Filters): AuditQuery {
  const given = Object.entries(texts).filter(([, text]) => text !== '');
  return {
    ...Object.fromEntries(given),
    ...(since !== '' && { since: instantOf(since, 0) }),
    ...(until !== '' && { until: instantOf(until, 1) }),
  };
}

export function Audit() {
  const [filters, setFilters] = useState(none);
  const list = usePages<AuditEntry>(JSON.stringify(filters), (after) =>
    api.audit({ ...queryOf(filters), limit: 50, ...(after !== undefined && { after }) }),
  );
  const set = (name: keyof Filters, value: string) => setFilters({ ...filters, [name]: value });
  const field = (name: keyof Filters, label: string, type = 'text') => (
    <Field
      label={label}
      type={type}
      value={filters[name]}
      onChange={({ currentTarget }) => set(name, currentTarget.value.trim())}
    />
  );
  return (
    <>
      <h1>Audit</h1>
      <p class="hint">Who changed what. Entries have the names of fields, and no values.</p>
      <div class="filters">
        {field('actor', 'Who (id)')}
        {field('operation', 'Operation')}
        {field('resource', 'Record (id)')}
        {field('since', 'From', 'date')}
        {field('until', 'To', 'date')}
        <button type="button" onClick={() => setFilters(none)}>
          Clear filters
        </button>
      </div>
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">Operation</th>
            <th scope="col">Record</th>
            <th scope="col">Fields</th>
          </tr>
        </thead>
        <tbody>
          {list.items.map(({ id, createdAt, actor, address, operation, resource, ...entry }) => (
            <tr key={id}>
              <td>
                <Time at={createdAt} />
              </td>
              <td>
                {actor.type}{' '}
                <FilterButton
                  what="who"
                  value={actor.id}
                  label={actor.name ?? undefined}
                  onFilter={(value) => set('actor', value)}
                />
                {address !== null && <span class="state">from {address}</span>}
              </td>
              <td>
                <FilterButton
                  what="operation"
                  value={operation}
                  onFilter={(value) => set('operation', value)}
                />
              </td>
              <td>
                {entry.count > 1 ? `${entry.count} × ` : ''}
                {resource.type}{' '}
                <FilterButton
                  what="record"
                  value={resource.id}
                  onFilter={(value) => set('resource', value)}
                />
              </td>
              <td>{entry.fields.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <PageEnd list={list} none="No entry matches." />
    </>
  );
}

/** A value of an entry: a click shows only entries that have it. */
function FilterButton({
  what,
  value,
  label,
  onFilter,
}: {
  readonly what: string;
  readonly value: string | null;
  readonly label?: string | undefined;
  readonly onFilter: (value: string) => void;
}) {
  if (value === null) return null;
  return (
    <button
      type="button"
      class="plain text"
      aria-label={`Only ${what} ${label ?? value}`}
      onClick={() => onFilter(value)}
    >
      {label ?? value}
    </button>
  );
}
