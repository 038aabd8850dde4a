import {
  type ParseCell,
  parseBoolean,
  parseInteger,
  parseIntegers,
  parsePreview,
  parseRules,
  parseStringRecord,
  parseTags,
  parseText,
} from './cell-values.js';
import { type LinkSource, targetColumns } from './link-sources.js';

/** The parser of each field. */
const commonFields: Readonly<Record<string, ParseCell>> = {
  externalId: parseText,
  title: parseText,
  description: parseText,
  category: parseText,
  tags: parseTags,
  domainId: parseText,
  redirectType: parseInteger,
  activatesAt: parseText,
  expiresAt: parseText,
  expiredUrl: parseText,
  maxClicks: parseInteger,
  isPasswordProtected: parseBoolean,
  password: parseText,
  utmSource: parseText,
  utmMedium: parseText,
  utmCampaign: parseText,
  utmTerm: parseText,
  utmContent: parseText,
  customUtmParams: parseStringRecord,
  sourceDomain: parseText,
  clickThresholds: parseIntegers,
  forwardQuery: parseBoolean,
  forwardPath: parseBoolean,
  rules: parseRules,
  preview: parsePreview,
  isActive: parseBoolean,
};
const createOnly = {
  importedClicks: parseInteger,
  importedCode: parseText,
  importedCreatedAt: parseText,
  ifExists: parseText,
  fetchTitle: parseBoolean,
};

/** The columns that a file can have. */
export interface FieldSet {
  readonly fields: Readonly<Record<string, ParseCell>>;
  /** Other names of fields, in lower case without `_`, `-` and spaces. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The fields of the first columns of a file without a header. */
  readonly positions: readonly string[];
  /** Fields without which the file is rejected. */
  readonly required: readonly string[];
  /** Fields that the server sets. An exported file contains them, and an import skips them. */
  readonly readOnly: readonly string[];
  /** The service that wrote the file, if it is known. Its columns come first. */
  readonly source?: LinkSource;
}

const readOnly = [
  'shortUrl',
  'organizationId',
  'deletedAt',
  'clickCount',
  'excludedClicks',
  'clicksLeft',
  'lastClickAt',
  'takenDown',
  'updatedAt',
  'etag',
];
// A column that is the target in the export of another link shortener is the target in any file.
const targetAliases = Object.fromEntries(targetColumns().map((name) => [name, 'targetUrl']));

export const createFields: FieldSet = {
  fields: { targetUrl: parseText, customSlug: parseText, ...commonFields, ...createOnly },
  aliases: {
    ...targetAliases,
    slug: 'customSlug',
    active: 'isActive',
    // An exported link keeps its code.
    shortcode: 'importedCode',
    createdat: 'importedCreatedAt',
  },
  positions: ['targetUrl', 'customSlug'],
  required: ['targetUrl'],
  readOnly: ['id', ...readOnly],
};

export const updateFields: FieldSet = {
  fields: { id: parseText, targetUrl: parseText, ...commonFields },
  aliases: { ...targetAliases, active: 'isActive' },
  positions: ['id', 'targetUrl'],
  required: ['id'],
  readOnly: [
    ...['customSlug', 'importedCode', 'importedCreatedAt', 'importedClicks'],
    ...['shortCode', 'createdAt', ...readOnly],
  ],
};
