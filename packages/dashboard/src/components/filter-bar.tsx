import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { draftOf, type Entry } from '../field-values.js';
import { type Field, FieldRow } from './field.js';

/** The filters of a screen, which its address has, and how to change them. */
export function useFilters() {
  const [search, setSearch] = useSearchParams();
  const change = (edit: (next: URLSearchParams) => void, replace = false) => {
    // Not `search`, which is older than the address until the next rendering.
    const next = new URLSearchParams(location.search);
    edit(next);
    setSearch(next, { replace });
    return String(next);
  };
  return { search, change };
}

const applyAfterMs = 250;

interface FilterBarProps {
  readonly filters: readonly Field[];
  readonly children?: ComponentChildren;
}

/** Filters of a list or a report. They apply once somebody stops typing. */
export function FilterBar({ filters, children }: FilterBarProps) {
  const { search, change } = useFilters();
  const [draft, setDraft] = useState(() => draftOf(filters, Object.fromEntries(search)));
  const applied = useRef(String(search));
  useEffect(() => {
    // Somebody may type on while what they have typed applies.
    if (applied.current === String(search)) return;
    applied.current = String(search);
    setDraft(draftOf(filters, Object.fromEntries(search)));
  }, [String(search)]);
  const set = (name: string, entry: Entry) => setDraft((before) => ({ ...before, [name]: entry }));
  useEffect(() => {
    const timer = setTimeout(() => {
      applied.current = change((next) => {
        for (const { name } of filters) {
          const value = draft[name] === true ? 'yes' : String(draft[name] || '').trim();
          // A click may have set another filter meanwhile.
          if (value === (search.get(name) ?? '')) continue;
          if (value === '') next.delete(name);
          else next.set(name, value);
        }
      }, true);
    }, applyAfterMs);
    return () => clearTimeout(timer);
  }, [draft]);
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      {filters.map((field) => (
        <FieldRow key={field.name} field={field} filling={{ draft, set }} />
      ))}
      {children}
    </form>
  );
}
