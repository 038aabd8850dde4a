/** What is counted of each organization, month by month. */
export const meters = ['api_call', 'qr_generated', 'webhook_delivery'] as const;
export type Meter = (typeof meters)[number];

/** The meters of which a plan includes so many. */
export type BundledMeter = Exclude<Meter, 'api_call'>;

/** The calendar month, in UTC, that an instant belongs to: `2030-01`. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}
