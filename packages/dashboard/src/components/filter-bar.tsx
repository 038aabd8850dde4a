import type { ComponentChildren } from 'preact';
import { useSearchParams } from 'wouter-preact';
import { draftOf, type Entry } from '../field-values.js';
import { Button } from './elements.js';
import { type Field, FieldRow } from './field.js';

/** Filters apply once somebody stops typing. */
export const typingMs = 250;

/** The filters of a screen, which its address has, and how to change them. */
export function useFilters() {
  const [search, setSearch] = useSearchParams();
  const change = (edit: (next: URLSearchParams) => void, replace = false) => {
    // Not `search`, which is older than the address until the next rendering.
    const next = new URLSearchParams(location.search);
    edit(next);
    setSearch(next, { replace });
  };
  return { search, change };
}

interface OnlyProps {
  readonly name: string;
  readonly value: string | null;
  readonly label?: string | null;
}

/** A value in a list: a click shows only what has it. */
export function Only({ name, value, label = value }: OnlyProps) {
  const { change } = useFilters();
  if (value === null) return null;
  const filter = () => change((next) => next.set(name, value));
  return (
    <Button class="plain" aria-label={`Only ${name} ${label}`} onClick={filter}>
      {label}
    </Button>
  );
}

interface FilterBarProps {
  readonly filters: readonly Field[];
  readonly children?: ComponentChildren;
}

/** Filters of a list or a report. */
export function FilterBar({ filters, children }: FilterBarProps) {
  const { search, change } = useFilters();
  const set = (name: string, entry: Entry) =>
    change((next) => {
      if (entry) next.set(name, entry === true ? 'yes' : String(entry));
      else next.delete(name);
    }, true);
  const filling = { draft: draftOf(filters, Object.fromEntries(search)), set };
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      {filters.map((field) => (
        <FieldRow key={field.name} field={field} filling={filling} />
      ))}
      {children}
    </form>
  );
}
