// Limits that the contract and the dispatcher share. Schemas are not here, because the dispatcher's thread
// loads none.

/** The maximum number of webhooks of an organization. Each event writes a delivery for each of them. */
export const maxWebhooks = 50;
/** The maximum number of bytes that are stored of a response. */
export const maxStoredResponseBytes = 2048;
/** The maximum number of visits in one event. */
export const maxVisitsPerEvent = 500;
/** The maximum number of webhook streams of an organization. */
export const maxStreams = 5;
/** How long a stream exists after it was last read. */
export const streamLifetimeMs = 60_000;
/** The maximum number of deliveries without an outcome that a client has. */
export const maxUnanswered = 100;
/** How long a client may take for an outcome. After that, the delivery is sent again. */
export const outcomeTimeoutMs = 60_000;
