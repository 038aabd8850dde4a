import type { RuleTest } from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { conditionKinds, type RuleForm } from '../link-form.js';
import { Field, FormError, Select, useSubmit } from './form.js';

const kindOptions = Object.keys(conditionKinds).map((kind) => [kind, kind] as const);
const newCondition = { kind: 'country', value: '' };
const newRule: RuleForm = { name: '', conditions: [newCondition], target: '', variants: '' };

/** The rules of a link, as rows: the first that matches a visit decides its destination. */
export function RuleEditor({
  rules,
  isReadOnly,
  onChange,
}: {
  readonly rules: readonly RuleForm[];
  readonly isReadOnly: boolean;
  readonly onChange: (rules: readonly RuleForm[]) => void;
}) {
  const replace = (at: number, ...by: readonly RuleForm[]) =>
    onChange(rules.toSpliced(at, 1, ...by));
  return (
    <details open={rules.length > 0}>
      <summary>Other destinations for some visits</summary>
      <fieldset class="rules" disabled={isReadOnly}>
        <legend class="hint">The first rule that matches a visit decides.</legend>
        {rules.map((rule, at) => (
          <Rule
            key={at}
            number={at + 1}
            rule={rule}
            onChange={(changed) => replace(at, changed)}
            onRemove={() => replace(at)}
          />
        ))}
        <button type="button" onClick={() => onChange([...rules, newRule])}>
          Add a rule
        </button>
      </fieldset>
    </details>
  );
}

function Rule({
  number,
  rule,
  onChange,
  onRemove,
}: {
  readonly number: number;
  readonly rule: RuleForm;
  readonly onChange: (rule: RuleForm) => void;
  readonly onRemove: () => void;
}) {
  const { conditions } = rule;
  const set = (changes: Partial<RuleForm>) => onChange({ ...rule, ...changes });
  const setCondition = (at: number, changes: Partial<RuleForm['conditions'][number]>) =>
    set({
      conditions: conditions.map((each, index) => (index === at ? { ...each, ...changes } : each)),
    });
  return (
    <fieldset>
      <legend>Rule {number}</legend>
      {conditions.map(({ kind, value }, at) => (
        <div class="filters" key={at}>
          <Select
            label="Condition"
            value={kind}
            options={kindOptions}
            onChange={({ currentTarget }) => setCondition(at, { kind: currentTarget.value })}
          />
          <Field
            label="One of"
            placeholder={conditionKinds[kind as keyof typeof conditionKinds]}
            value={value}
            onInput={({ currentTarget }) => setCondition(at, { value: currentTarget.value })}
          />
          <button
            type="button"
            class="plain"
            aria-label={`Remove condition ${at + 1} of rule ${number}`}
            onClick={() => set({ conditions: conditions.toSpliced(at, 1) })}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" onClick={() => set({ conditions: [...conditions, newCondition] })}>
        Add a condition
      </button>
      <Field
        label="Leads to"
        type="url"
        value={rule.target}
        disabled={rule.variants.trim() !== ''}
        onInput={({ currentTarget }) => set({ target: currentTarget.value })}
      />
      <label class="field">
        Or divide the visitors: a weight and a destination a line
        <textarea
          rows={2}
          placeholder="50 https://example.com/a"
          value={rule.variants}
          onInput={({ currentTarget }) => set({ variants: currentTarget.value })}
        />
      </label>
      <button type="button" onClick={onRemove}>
        Remove rule {number}
      </button>
    </fieldset>
  );
}

const visitFields = [
  'device',
  'os',
  'browser',
  'country',
  'language',
  'query',
  'referrer',
] as const;

/** Tells where the saved rules of a link lead a visit. */
export function TestVisit({ id }: { readonly id: string }) {
  const [visit, setVisit] = useState<Readonly<Record<string, string>>>({});
  const [result, setResult] = useState<RuleTest>();
  const { submit, errors, isBusy } = useSubmit(async () => {
    const given = Object.fromEntries(Object.entries(visit).filter(([, value]) => value !== ''));
    setResult(await api.urls.testRules(id, given));
  });
  return (
    <form onSubmit={submit} aria-labelledby="test-visit">
      <h2 id="test-visit">Test a visit</h2>
      <div class="filters">
        {visitFields.map((name) => (
          <Field
            key={name}
            label={name}
            error={errors.fields[name]}
            value={visit[name] ?? ''}
            onInput={({ currentTarget }) => setVisit({ ...visit, [name]: currentTarget.value })}
          />
        ))}
      </div>
      <FormError errors={errors} />
      <button type="submit" disabled={isBusy}>
        Test
      </button>
      {result && (
        <div role="status">
          <p>{result.rule === null ? 'No rule matches.' : `Rule ${result.rule} matches.`}</p>
          <ul>
            {result.outcomes.map(({ variant, location, share }) => (
              <li key={variant}>
                {Math.round(share * 100)} %: {location}
              </li>
            ))}
          </ul>
        </div>
      )}
    </form>
  );
}
