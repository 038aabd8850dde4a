/** The groups of operations in the OpenAPI document, in the order of the documentation. */
export const tags = {
  Authentication: 'Access tokens, API keys, and the caller.',
  URLs: 'Create, read, change and delete short links, one at a time or in bulk.',
  'QR codes': 'QR codes for links and for any text.',
  Analytics: 'Clicks and scans: who, from where and when.',
  Domains: 'Custom domains: their verification and their settings.',
  Webhooks: 'Events, signed and delivered at least once.',
  Organization: 'The organization of the caller.',
  People: 'The people who sign in to the dashboard, and their roles.',
  Sessions: 'The sign-in of a person with a browser.',
  'Audit log': 'Who changed which record, and from which address.',
  Administration:
    'Organizations, clients and links of all tenants, for the operator of the server. Exists only if `SHORTY_OPERATOR_KEY` is set, and on the listener of `SHORTY_ADMIN_LISTEN` only if that is set.',
  Usage: 'The usage of the organization and the limits of its plan.',
  Operations: 'Health checks, metrics and this document.',
  Redirects: 'The short links themselves.',
  'QR images': 'Public images and preview pages of QR codes.',
};

export type Tag = keyof typeof tags;
