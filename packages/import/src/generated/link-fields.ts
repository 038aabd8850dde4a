// Generated from openapi.yaml by `npm run generate`. Do not edit.

/** The fields of requests that create and update links, with the rules for their values. */
export const linkFields = {
  targetUrl: {"kind":"text","isCreated":true,"isUpdated":true,"maxLength":8192,"pattern":"^[Hh][Tt][Tt][Pp][Ss]?://"},
  title: {"kind":"text","isCreated":true,"isUpdated":true,"maxLength":500},
  description: {"kind":"text","isCreated":true,"isUpdated":true,"maxLength":5000},
  category: {"kind":"text","isCreated":true,"isUpdated":true,"maxLength":100},
  tags: {"kind":"texts","isCreated":true,"isUpdated":true,"maxItems":20},
  domainId: {"kind":"text","isCreated":true,"isUpdated":true},
  redirectType: {"kind":"integer","isCreated":true,"isUpdated":true,"enum":[301,302,307,308]},
  activatesAt: {"kind":"text","isCreated":true,"isUpdated":true,"pattern":"^\\d{4}-\\d{2}-\\d{2}(?:[Tt ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?: ?[Zz]|(?: ?[+-]| )\\d{2}(?::?\\d{2})?)?)?$"},
  expiresAt: {"kind":"text","isCreated":true,"isUpdated":true,"pattern":"^\\d{4}-\\d{2}-\\d{2}(?:[Tt ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?: ?[Zz]|(?: ?[+-]| )\\d{2}(?::?\\d{2})?)?)?$"},
  expiredUrl: {"kind":"text","isCreated":true,"isUpdated":true,"maxLength":8192,"pattern":"^[Hh][Tt][Tt][Pp][Ss]?://"},
  maxClicks: {"kind":"integer","isCreated":true,"isUpdated":true,"minimum":1,"maximum":1000000000000},
  utmSource: {"kind":"text","isCreated":true,"isUpdated":true,"minLength":1,"maxLength":512},
  utmMedium: {"kind":"text","isCreated":true,"isUpdated":true,"minLength":1,"maxLength":512},
  utmCampaign: {"kind":"text","isCreated":true,"isUpdated":true,"minLength":1,"maxLength":512},
  utmTerm: {"kind":"text","isCreated":true,"isUpdated":true,"minLength":1,"maxLength":512},
  utmContent: {"kind":"text","isCreated":true,"isUpdated":true,"minLength":1,"maxLength":512},
  customUtmParams: {"kind":"object","isCreated":true,"isUpdated":true},
  sourceDomain: {"kind":"text","isCreated":true,"isUpdated":true,"maxLength":253},
  forwardQuery: {"kind":"boolean","isCreated":true,"isUpdated":true},
  forwardPath: {"kind":"boolean","isCreated":true,"isUpdated":true},
  rules: {"kind":"list","isCreated":true,"isUpdated":true,"maxItems":20},
  preview: {"kind":"object","isCreated":true,"isUpdated":true},
  infoPage: {"kind":"boolean","isCreated":true,"isUpdated":true},
  publicStats: {"kind":"boolean","isCreated":true,"isUpdated":true},
  isPasswordProtected: {"kind":"boolean","isCreated":true,"isUpdated":true},
  password: {"kind":"text","isCreated":true,"isUpdated":true,"minLength":1,"maxLength":256},
  customSlug: {"kind":"text","isCreated":true,"minLength":3,"maxLength":50,"pattern":"^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$"},
  importedCode: {"kind":"text","isCreated":true,"minLength":1,"maxLength":100,"pattern":"^[A-Za-z0-9._~/-]+$"},
  isActive: {"kind":"boolean","isCreated":true,"isUpdated":true},
  importedClicks: {"kind":"integer","isCreated":true,"minimum":0,"maximum":1000000000000},
  importedCreatedAt: {"kind":"text","isCreated":true,"pattern":"^\\d{4}-\\d{2}-\\d{2}(?:[Tt ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?: ?[Zz]|(?: ?[+-]| )\\d{2}(?::?\\d{2})?)?)?$"},
  externalId: {"kind":"text","isCreated":true,"isUpdated":true,"minLength":1,"maxLength":255},
  ifExists: {"kind":"text","isCreated":true},
  fetchTitle: {"kind":"boolean","isCreated":true},
} as const;

/** The fields of a link that only the server sets. */
export const readOnlyFields: readonly string[] = ["id","shortCode","shortUrl","organizationId","targetBlockedAt","deletedAt","createdBy","clickCount","excludedClicks","clicksLeft","lastClickAt","takenDown","createdAt","updatedAt"];
