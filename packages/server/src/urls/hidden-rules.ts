import {
  includesConditions,
  isQueryWithin,
  partRules,
  type RuleConditions,
} from './rule-conditions.js';

// The rules of a campaign take fewer than ten. Up to 50 values of each condition could take millions.
const maxSteps = 1_000;

/**
 * Returns the indexes of earlier rules that together match every visit that a later rule matches, so that
 * the later one never decides. Returns undefined if there are none, or if that is not certain.
 */
export function findHidingRules(
  earlier: readonly RuleConditions[],
  later: RuleConditions,
): readonly number[] | undefined {
  const hiding = new Set<number>();
  let steps = 0;

  /** Returns whether the rules `among` match each visit of a part of the later rule. */
  function isHidden(
    part: RuleConditions,
    among: readonly number[],
    rest: typeof partRules,
  ): boolean {
    const whole = among.find((index) => includesConditions(conditionsOf(index), part));
    if (whole !== undefined) {
      hiding.add(whole);
      return true;
    }
    steps += 1;
    if (among.length < 2 || steps > maxSteps) return false;
    const [rule, ...others] = rest;
    if (!rule) return isEachTimeHidden(part, among);
    const { name, valuesOf, isPartOf } = rule;
    const values = valuesOf(part);
    if (values === undefined) {
      // Some visits have a value that no rule names.
      const open = among.filter((index) => conditionsOf(index)[name] === undefined);
      return isHidden(part, open, others);
    }
    // Values for which the same rules remain need one check.
    const groups = new Map<string, { readonly open: number[]; readonly values: string[] }>();
    for (const value of values) {
      const open = among.filter(
        (index) => conditionsOf(index)[name]?.some((of) => isPartOf(value, of)) ?? true,
      );
      const group = groups.get(open.join());
      if (group) group.values.push(value);
      else groups.set(open.join(), { open, values: [value] });
    }
    return [...groups.values()].every((group) =>
      isHidden({ ...part, [name]: group.values }, group.open, others),
    );
  }

  /** As `isHidden`, for rules that differ in their times only. */
  function isEachTimeHidden(part: RuleConditions, among: readonly number[]): boolean {
    const { after = '', before = latest } = part;
    const limits = among
      .flatMap((index) => [conditionsOf(index).after, conditionsOf(index).before])
      .filter((time): time is string => time !== undefined && time > after && time < before);
    const times = [after, ...[...new Set(limits)].sort(), before];
    return times.slice(1).every((end, index) => {
      const start = times[index];
      const window = {
        ...part,
        after: start === '' ? undefined : start,
        before: end === latest ? undefined : end,
      };
      const whole = among.find((each) => includesConditions(conditionsOf(each), window));
      if (whole !== undefined) hiding.add(whole);
      return whole !== undefined;
    });
  }

  function conditionsOf(index: number): RuleConditions {
    return earlier[index] as RuleConditions;
  }

  const all = [...earlier.keys()];
  const single = all.find((index) => includesConditions(conditionsOf(index), later));
  if (single !== undefined) return [single];
  const possible = all.filter((index) => isQueryWithin(later.query, conditionsOf(index).query));
  if (!isHidden(later, possible, partRules)) return undefined;
  return [...hiding].sort((a, b) => a - b);
}

/** Is after each time in text. */
const latest = '~';
