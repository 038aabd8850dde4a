import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../config-error.js';
import { invalidField, quotaError } from '../contract/api-error.js';
import { parseInput } from '../contract/parse-input.js';

/** The actions that are counted for each organization and month. */
export const meters = ['api_call', 'qr_generated', 'webhook_delivery'] as const;
export type Meter = (typeof meters)[number];

export type BundledMeter = Exclude<Meter, 'api_call'>;

/** Returns the calendar month of an instant in UTC, such as `2030-01`. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

export interface MonthlyBundle {
  /** Null without a limit. */
  readonly included: number | null;
  /**
   * The price of uses beyond the bundle: `cents` US cents for `per` uses, in proportion. Null where uses
   * beyond it are refused.
   */
  readonly overage: { readonly cents: number; readonly per: number } | null;
}

export interface Plan {
  /** The number of links that may be active at once; null without a limit. */
  readonly linkBundle: number | null;
  readonly meters: Readonly<Record<BundledMeter, MonthlyBundle>>;
  readonly hasReplay: boolean;
}

export type PlanName = 'free' | 'developer' | 'scale' | 'enterprise';

/** The plans of a server by their names: the standard ones, and others. */
export type PlanTable = Readonly<Record<string, Plan>>;

const unlimited: MonthlyBundle = { included: null, overage: null };

/** Specification, "Limits". */
export const standardPlans: Readonly<Record<PlanName, Plan>> = {
  free: {
    linkBundle: 50,
    meters: {
      qr_generated: { included: 25, overage: null },
      webhook_delivery: { included: 0, overage: null },
    },
    hasReplay: false,
  },
  developer: {
    linkBundle: 10_000,
    meters: {
      qr_generated: { included: 1_000, overage: { cents: 5, per: 1 } },
      webhook_delivery: { included: 100_000, overage: { cents: 100, per: 100_000 } },
    },
    hasReplay: false,
  },
  scale: {
    linkBundle: 250_000,
    meters: {
      qr_generated: { included: 25_000, overage: { cents: 3, per: 1 } },
      webhook_delivery: { included: 1_000_000, overage: { cents: 75, per: 100_000 } },
    },
    hasReplay: true,
  },
  enterprise: {
    linkBundle: null,
    meters: { qr_generated: unlimited, webhook_delivery: unlimited },
    hasReplay: true,
  },
};

/** The name of a plan, as a field of the API. */
export const planName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, {
    error: 'must be the name of a plan, such as scale',
  })
  .meta({
    description: 'free, developer, scale, enterprise, or a plan that the operator has added.',
    example: 'scale',
  });

/** Returns a plan. The start of the server has checked that each organization has one of these. */
export function planOf(plans: PlanTable, name: string): Plan {
  const plan = Object.hasOwn(plans, name) ? plans[name] : undefined;
  if (plan) return plan;
  throw new Error(`there is no plan ${name}`);
}

/** Throws a VALIDATION_FAILED if there is no plan with this name. */
export function requirePlan(plans: PlanTable, name: string | undefined): void {
  if (name === undefined || Object.hasOwn(plans, name)) return;
  const message = `must be one of ${Object.keys(plans).join(', ')}`;
  throw invalidField('plan', message);
}

const count = z.int().min(0).nullable();
const bundle = z.strictObject({
  included: count,
  overage: z.strictObject({ cents: z.int().min(0), per: z.int().min(1) }).nullable(),
});
const planFigures = z.strictObject({
  linkBundle: count,
  meters: z.strictObject({ qr_generated: bundle, webhook_delivery: bundle }),
  hasReplay: z.boolean(),
});
/** Reads the plans of SHORTY_PLANS: the standard ones with changed figures, and others. Throws a ConfigError. */
export function readPlans(path: string | undefined): PlanTable {
  if (path === undefined) return standardPlans;
  const refuse = (reason: string) =>
    new ConfigError(`SHORTY_PLANS is ${JSON.stringify(path)}: ${reason}`);
  let text = '';
  let given: unknown;
  try {
    text = readFileSync(path, 'utf8');
    given = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const position = /at position (\d+)/.exec(message)?.[1];
    const line = text.slice(0, Number(position)).split('\n').length;
    throw refuse(position === undefined ? message : `line ${line}: ${message}`);
  }
  const parse = <Schema extends z.ZodType>(schema: Schema, input: unknown, ...place: string[]) => {
    const parsed = parseInput(schema, input, place);
    if (parsed.ok) return parsed.value;
    const [{ path: field, message } = { path: '', message: '' }] = parsed.details;
    throw refuse(`${field} ${message}`.trimStart());
  };
  const plans: Record<string, Plan> = { ...standardPlans };
  for (const [name, figures] of Object.entries(parse(z.looseObject({}), given))) {
    parse(planName, name, name);
    plans[name] = parse(planFigures, withChanges(plans[name], figures), name) as Plan;
  }
  return plans;
}

/** Returns a value with changes of it. An object retains the fields that these do not have. */
function withChanges(value: unknown, changes: unknown): unknown {
  if (!isObject(value) || !isObject(changes)) return changes;
  const fields = Object.entries(changes).map(([name, change]) => [
    name,
    withChanges(value[name], change),
  ]);
  return { ...value, ...Object.fromEntries(fields) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns whether a plan has webhooks: it includes at least one delivery. */
export function hasWebhooks({ meters }: Plan): boolean {
  return meters.webhook_delivery.included !== 0;
}

/** Returns the cost of a month's use of one meter. The overage is the part beyond `included`. */
export function computeCharge(used: number, { included, overage: price }: MonthlyBundle) {
  const overage = included === null ? 0 : Math.max(0, used - included);
  // One division of whole numbers: the result is the nearest double to the exact amount.
  const overageUsd = price === null ? 0 : (overage * price.cents) / (price.per * 100);
  return { used, included, overage, overageUsd };
}

/** What a plan includes, and how much of it is used. */
export interface Quota {
  readonly plan: string;
  readonly included: number;
  readonly used: number;
}

/** Returns QUOTA_EXCEEDED, such as `The plan free includes 50 active links, and 50 are used`, and the next step. */
export function planExceeded({ plan, included, used }: Quota, what: string, nextStep: string) {
  return quotaError(
    `The plan ${plan} includes ${included} ${what}, and ${used} are used`,
    nextStep,
  );
}
