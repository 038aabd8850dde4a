// Generated from openapi.yaml by `npm run generate`. Do not edit.

/** The query parameters that an operation requires. */
export const requiredQuery: Readonly<Record<string, readonly string[]>> = {
  "GET /api/v1/urls/lookup": [
    "shortUrl"
  ]
};

/** The operations that require a body. */
export const requiredBody: readonly string[] = [
  "POST /api/v1/auth/token",
  "POST /api/v1/api-keys",
  "POST /api/v1/urls",
  "POST /api/v1/urls/bulk",
  "PATCH /api/v1/urls/bulk",
  "PATCH /api/v1/urls/{id}",
  "PATCH /api/v1/tags/{tag}",
  "POST /api/v1/qr",
  "PATCH /api/v1/qr/{id}",
  "POST /api/v1/webhooks/streams/{id}/outcomes",
  "POST /api/v1/webhooks",
  "PATCH /api/v1/webhooks/{id}",
  "POST /api/v1/webhooks/{id}/replay",
  "POST /api/v1/domains"
];
