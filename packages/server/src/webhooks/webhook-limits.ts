// Limits that the contract and the dispatcher share. Schemas are not here, because the dispatcher's thread
// loads none.

/** The maximum number of webhooks of an organization. Each event writes a delivery for each of them. */
export const maxWebhooks = 50;
export const maxStoredResponseBytes = 2048;
/** The longest time that a list of events waits for one. */
export const maxWaitSeconds = 25;
/** The maximum number of events that one recovery delivers again. */
export const maxRecovered = 1_000;
