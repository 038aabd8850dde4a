// Generated from openapi.yaml by `npm run generate`. Do not edit.

/**
 * What an operation requires beside the parameters of its path: its body, or one query parameter.
 * Without PUT and PATCH, which always require their body.
 */
export const requiredInput: Readonly<Record<string, string>> = {
  "POST /api/v1/api-keys": "body",
  "GET /api/v1/urls/metadata": "url",
  "POST /api/v1/urls": "body",
  "POST /api/v1/urls/bulk": "body",
  "GET /api/v1/urls/lookup": "shortUrl",
  "GET /api/v1/urls/slug": "slug",
  "POST /api/v1/qr": "body",
  "POST /api/v1/qr/preview": "body",
  "POST /api/v1/webhooks": "body",
  "POST /api/v1/webhooks/{id}/recover": "body",
  "POST /api/v1/domains": "body"
};
