import { type LinkRule, labelOf } from '../urls/link-rules.js';
import {
  type Condition,
  compileConditions,
  parametersOnce,
  type RuleVisit,
} from './compile-conditions.js';
import { type ChooseVariant, compileVariants } from './compile-variants.js';
import type { Target } from './target.js';

/** One of the targets of a rule. */
interface Outcome {
  readonly weight: number;
  readonly target: () => Target;
}

interface CompiledRule {
  readonly label: string;
  readonly conditions: readonly (readonly [name: string, Condition])[];
  readonly outcomes: readonly Outcome[];
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

  /**
   * Throws for rules that this version does not know. `toTarget` is called at the first visit that leads
   * to a target, because a link may have 200 of them.
   */
  constructor(
    urlId: number,
    rules: readonly LinkRule[],
    toTarget: (targetUrl: string, variant: string) => Target,
  ) {
    this.#rules = rules.map((rule, index) => {
      const label = labelOf(rules, index);
      const outcome = (targetUrl: string, variant: string, weight: number): Outcome => ({
        weight,
        target: once(() => toTarget(targetUrl, variant)),
      });
      const { variants = [], targetUrl } = rule;
      const outcomes =
        targetUrl === undefined
          ? variants.map((each, at) => outcome(each.targetUrl, `${label}/${at + 1}`, each.weight))
          : [outcome(targetUrl, label, 1)];
      const weights = outcomes.map(({ weight }) => weight);
      const choose = compileVariants(urlId, weights);
      return {
        label,
        conditions: compileConditions(rule.when),
        outcomes,
        chooseVariant: outcomes.length === 1 ? undefined : choose,
      };
    });
  }

  /** Returns the target of the first rule that matches; undefined when none does. */
  choose(visit: RuleVisit): Target | undefined {
    const rule = this.#find(visit);
    if (rule === undefined) return undefined;
    const { visitorKey, addressKey } = visit.facts;
    const index = rule.chooseVariant?.(visitorKey ?? addressKey) ?? 0;
    return (rule.outcomes[index] as Outcome).target();
  }

  /** Returns all targets. */
  targets(): Target[] {
    return this.#rules.flatMap(({ outcomes }) => outcomes.map(({ target }) => target()));
  }

  /** Returns the first rule that matches with the share of visitors of each target, and why others do not. */
  explain(visit: RuleVisit) {
    const skipped: SkippedRule[] = [];
    const rule = this.#find(visit, (label, condition) => skipped.push({ rule: label, condition }));
    const outcomes = rule?.outcomes ?? [];
    const total = outcomes.reduce((sum, { weight }) => sum + weight, 0);
    return {
      rule: rule?.label,
      outcomes: outcomes.map(({ weight, target }) => ({
        target: target(),
        share: weight / total,
      })),
      skipped,
    };
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

function once<Value extends object>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
