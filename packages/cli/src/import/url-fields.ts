import {
  type ParseCell,
  parseBoolean,
  parseInteger,
  parseStringRecord,
  parseTags,
  parseText,
} from './cell-values.js';

/** How the cells of each field are read. The order is that of exported columns. */
const settings: Readonly<Record<string, ParseCell>> = {
  title: parseText,
  description: parseText,
  category: parseText,
  tags: parseTags,
  domainId: parseText,
  redirectType: parseInteger,
  expiresAt: parseText,
  isPasswordProtected: parseBoolean,
  password: parseText,
  utmSource: parseText,
  utmMedium: parseText,
  utmCampaign: parseText,
  utmTerm: parseText,
  utmContent: parseText,
  customUtmParams: parseStringRecord,
  sourceDomain: parseText,
};

/** Which columns a file may have: names and cell readers, and names that are passed over. */
export interface FieldSet {
  readonly fields: Readonly<Record<string, ParseCell>>;
  /** Spellings beyond the field's own, in lower case without `_`, `-` and spaces. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Fields that a file must name. */
  readonly required: readonly string[];
  /** Fields that the server sets: an exported file carries them, and they are passed over. */
  readonly readOnly: readonly string[];
}

const readOnly = [
  'shortCode',
  'shortUrl',
  'organizationId',
  'clickCount',
  'createdAt',
  'updatedAt',
];
const targetAliases = { url: 'targetUrl', target: 'targetUrl' };

export const createFields: FieldSet = {
  fields: { targetUrl: parseText, customSlug: parseText, ...settings },
  aliases: { ...targetAliases, slug: 'customSlug' },
  required: ['targetUrl'],
  readOnly: ['id', ...readOnly, 'isActive'],
};

export const updateFields: FieldSet = {
  fields: { id: parseText, targetUrl: parseText, ...settings, isActive: parseBoolean },
  aliases: { ...targetAliases, active: 'isActive' },
  required: ['id'],
  readOnly: ['customSlug', ...readOnly],
};

/** Columns of `urls export`: first those that an import takes back, then the read-only ones. */
export const exportColumns: readonly string[] = [
  ...Object.keys(createFields.fields).filter((field) => field !== 'password'),
  ...createFields.readOnly,
];
