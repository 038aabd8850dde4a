import { type LinkRule, labelOf } from '../urls/link-rules.js';
import {
  type Conditions,
  parametersOnce,
  type RuleVisit,
  shareConditions,
} from './compile-conditions.js';
import { type ChooseVariant, compileVariants } from './compile-variants.js';
import type { Target } from './target.js';

/** One of the targets of a rule. */
interface Outcome {
  readonly targetUrl: string;
  readonly weight: number;
  /** Undefined until the first visit that leads there, because a link may have 200 targets. */
  target: Target | undefined;
}

interface CompiledRule {
  readonly label: string;
  readonly conditions: Conditions;
  readonly outcomes: readonly Outcome[];
  /** Whether reports name the number of the variant, too. */
  readonly hasVariants: boolean;
  /** Undefined when there is one target. */
  readonly chooseVariant: ChooseVariant | undefined;
}

/** A rule that does not match a visit, and its first condition that the visit lacks. */
export interface SkippedRule {
  readonly rule: string;
  readonly condition: string;
}

/** The rules of one link as functions. */
export class CompiledRules {
  readonly #rules: readonly CompiledRule[];
  readonly #toTarget: (targetUrl: string, variant: string) => Target;
  /** The number of rules whose conditions no other rule had when they were compiled. */
  readonly ownConditions: number;

  /** Throws for rules that this version does not know. */
  constructor(
    urlId: number,
    rules: readonly LinkRule[],
    toTarget: (targetUrl: string, variant: string) => Target,
  ) {
    let ownConditions = 0;
    this.#toTarget = toTarget;
    this.#rules = rules.map((rule, index) => {
      const { conditions, isShared } = shareConditions(rule.when);
      if (!isShared) ownConditions += 1;
      const targets = rule.variants ?? [{ targetUrl: rule.targetUrl as string, weight: 1 }];
      const outcomes = targets.map(({ targetUrl, weight }): Outcome => {
        return { targetUrl, weight, target: undefined };
      });
      const choose = compileVariants(
        urlId,
        outcomes.map(({ weight }) => weight),
      );
      const chooseVariant = outcomes.length === 1 ? undefined : choose;
      const hasVariants = rule.variants !== undefined;
      return { label: labelOf(rules, index), conditions, outcomes, hasVariants, chooseVariant };
    });
    this.ownConditions = ownConditions;
  }

  /** Returns the target of the first rule that matches; undefined when none does. */
  choose(visit: RuleVisit): Target | undefined {
    const rule = this.#find(visit);
    if (rule === undefined) return undefined;
    const { visitorKey, addressKey } = visit.facts;
    const index = rule.chooseVariant?.(visitorKey ?? addressKey) ?? 0;
    return this.#targetOf(rule, index);
  }

  /** Returns all targets. */
  targets(): Target[] {
    return this.#rules.flatMap((rule) =>
      rule.outcomes.map((_, index) => this.#targetOf(rule, index)),
    );
  }

  /** Returns the first rule that matches with the share of visitors of each target, and why others do not. */
  explain(visit: RuleVisit) {
    const skipped: SkippedRule[] = [];
    const rule = this.#find(visit, (label, condition) => skipped.push({ rule: label, condition }));
    const outcomes = rule?.outcomes ?? [];
    const total = outcomes.reduce((sum, { weight }) => sum + weight, 0);
    return {
      rule: rule?.label,
      outcomes: outcomes.map(({ weight }, index) => ({
        target: this.#targetOf(rule as CompiledRule, index),
        share: weight / total,
      })),
      skipped,
    };
  }

  /** Returns a target of a rule, whose variant reports name. */
  #targetOf({ label, outcomes, hasVariants }: CompiledRule, index: number): Target {
    const outcome = outcomes[index] as Outcome;
    const variant = hasVariants ? `${label}/${index + 1}` : label;
    outcome.target ??= this.#toTarget(outcome.targetUrl, variant);
    return outcome.target;
  }

  #find(
    visit: RuleVisit,
    onSkipped?: (label: string, condition: string) => void,
  ): CompiledRule | undefined {
    const parametersOf = parametersOnce();
    return this.#rules.find(({ label, conditions }) => {
      const missing = conditions.find(([, holds]) => !holds(visit, parametersOf));
      if (missing !== undefined) onSkipped?.(label, missing[0]);
      return missing === undefined;
    });
  }
}
