import type { LinkRule, UrlCreateRequest, UrlRecord, UrlUpdateRequest } from '@shorty/sdk';

/** The texts of a link's form. An empty text is a field that is not set. */
export interface LinkForm {
  readonly texts: Readonly<Record<TextName, string>>;
  readonly rules: readonly RuleForm[];
}

/** A rule as rows of conditions. A target, or variants: lines of a weight and a target. */
export interface RuleForm {
  readonly name: string;
  readonly conditions: readonly { readonly kind: string; readonly value: string }[];
  readonly target: string;
  readonly variants: string;
}

/** How a text of the form becomes the value of a field, and back. */
interface Kind {
  readonly parse: (text: string) => unknown;
  readonly format: (value: unknown) => string;
}

const text: Kind = { parse: (given) => given, format: String };
const number: Kind = { parse: Number, format: String };
const choice: Kind = { parse: (given) => given === 'yes', format: (on) => (on ? 'yes' : 'no') };
const tags: Kind = {
  parse: (given) =>
    given
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  format: (value) => (value as readonly string[]).join(', '),
};
/** An instant in the zone of the browser, as `<input type="datetime-local">` has it. */
const localTime: Kind = {
  parse: (given) => new Date(given).toISOString(),
  format: (value) => {
    const at = new Date(String(value));
    return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  },
};

/** The fields of the form, by their names in the API. */
export const kinds = {
  targetUrl: text,
  customSlug: text,
  domainId: text,
  title: text,
  description: text,
  tags,
  utmSource: text,
  utmMedium: text,
  utmCampaign: text,
  utmTerm: text,
  utmContent: text,
  activatesAt: localTime,
  expiresAt: localTime,
  expiredUrl: text,
  maxClicks: number,
  password: text,
  forwardQuery: choice,
  forwardPath: choice,
  previewTitle: text,
  previewDescription: text,
  previewImageUrl: text,
} as const satisfies Readonly<Record<string, Kind>>;

export type TextName = keyof typeof kinds;
const names = Object.keys(kinds) as TextName[];

const previewFields = {
  previewTitle: 'title',
  previewDescription: 'description',
  previewImageUrl: 'imageUrl',
} as const;

/** Returns the form of a new link. */
export function emptyForm(targetUrl = ''): LinkForm {
  const texts = Object.fromEntries(names.map((name) => [name, ''])) as Record<TextName, string>;
  return { texts: { ...texts, targetUrl }, rules: [] };
}

/** Returns the form of a link that exists. */
export function formOf(url: UrlRecord): LinkForm {
  const values: Record<string, unknown> = { ...url };
  for (const [name, field] of Object.entries(previewFields)) values[name] = url.preview?.[field];
  const format = (name: TextName) =>
    values[name] === null || values[name] === undefined ? '' : kinds[name].format(values[name]);
  return {
    texts: Object.fromEntries(names.map((name) => [name, format(name)])) as LinkForm['texts'],
    rules: url.rules.map(ruleFormOf),
  };
}

/** Returns the request that creates the link of a form. */
export function createRequestOf(form: LinkForm): UrlCreateRequest {
  const given = Object.entries(changesOf(emptyForm(), form)).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as unknown as UrlCreateRequest;
}

/** Returns the fields that differ, with their new values. Null removes a value. */
export function changesOf(before: LinkForm, after: LinkForm): UrlUpdateRequest {
  const changed = names.filter((name) => before.texts[name] !== after.texts[name]);
  const changes: Record<string, unknown> = {};
  for (const name of changed) {
    if (name in previewFields) changes.preview = previewOf(after);
    else
      changes[name] =
        after.texts[name] === '' ? noneOf(name) : kinds[name].parse(after.texts[name]);
  }
  if (changed.includes('password')) changes.isPasswordProtected = after.texts.password !== '';
  if (JSON.stringify(before.rules) !== JSON.stringify(after.rules)) {
    changes.rules = after.rules.map(ruleOf);
  }
  return changes as UrlUpdateRequest;
}

const noneOf = (name: TextName) => (name === 'tags' ? [] : null);

function previewOf({ texts }: LinkForm): object | null {
  const entries = Object.entries(previewFields).map(([name, field]) => [
    field,
    texts[name as TextName] || null,
  ]);
  return entries.some(([, value]) => value !== null) ? Object.fromEntries(entries) : null;
}

/** What a rule can ask of a visit, with an example. */
export const conditionKinds = {
  device: 'mobile, tablet',
  os: 'iOS, Android',
  browser: 'Safari',
  country: 'DE, AT',
  language: 'de',
  referrer: 'news.example.com',
  query: 'ref=mail',
  after: '2030-01-01T00:00:00Z',
  before: '2030-02-01T00:00:00Z',
} as const;

function ruleFormOf({ name = '', when, targetUrl = '', variants = [] }: LinkRule): RuleForm {
  const conditions = Object.entries(when).map(([kind, value]) => ({
    kind,
    value: conditionText(value),
  }));
  const lines = variants.map((variant) => `${variant.weight} ${variant.targetUrl}`);
  return { name, conditions, target: targetUrl, variants: lines.join('\n') };
}

function conditionText(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Object.entries(value).map(([name, one]) =>
    one === true ? name : `${name}=${one}`,
  );
  return parts.join(', ');
}

function ruleOf({ name, conditions, target, variants }: RuleForm): object {
  const when = conditions.map(({ kind, value }) => [kind, conditionOf(kind, value)]);
  const lines = variants
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return {
    ...(name !== '' && { name }),
    when: Object.fromEntries(when),
    ...(lines.length === 0 ? { targetUrl: target } : { variants: lines.map(variantOf) }),
  };
}

function conditionOf(kind: string, value: string): unknown {
  if (kind === 'after' || kind === 'before') return value.trim();
  const parts = tags.parse(value) as string[];
  if (kind !== 'query') return parts;
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...rest] = part.split('=');
      return [name, rest.length === 0 ? true : rest.join('=')];
    }),
  );
}

function variantOf(line: string): object {
  const [weight = '', ...rest] = line.split(/\s+/);
  return { weight: Number(weight), targetUrl: rest.join(' ') };
}
