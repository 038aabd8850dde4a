/** The actions that are counted for each organization and month. */
export const meters = ['api_call', 'qr_generated', 'webhook_delivery'] as const;
export type Meter = (typeof meters)[number];

/** The meters that have a bundle in each plan. */
export type BundledMeter = Exclude<Meter, 'api_call'>;

/** Returns the calendar month of an instant in UTC, such as `2030-01`. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}
