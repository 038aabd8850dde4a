import type { DescribedVisit } from '../analytics/journal/visit-recorder.js';
import type { Link } from './link.js';
import type { RuleErrors } from './rule-errors.js';
import type { Target } from './target.js';

/**
 * Returns the target of a visit by the rules of its link: the link's own target if no rule matches, or
 * after an error.
 */
export function chooseTarget(
  link: Link & { readonly rules: NonNullable<Link['rules']> },
  { visitedAt, facts, query, request }: DescribedVisit,
  errors: RuleErrors,
): Target {
  try {
    const acceptLanguage = request.headers['accept-language'];
    const target = link.rules.choose({ visitedAt, facts, query, acceptLanguage });
    errors.clear(link.urlId);
    return target ?? link;
  } catch (error) {
    errors.note(link, error);
    return link;
  }
}

/** Returns whether the target of a link depends on the visit. */
export function hasRules(
  link: Link,
): link is Link & { readonly rules: NonNullable<Link['rules']> } {
  return link.rules !== undefined;
}
