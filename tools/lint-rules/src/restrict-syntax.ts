import type { Rule } from 'eslint';

/** One forbidden piece of syntax. */
export interface Restriction {
  /** An esquery selector, see https://eslint.org/docs/latest/extend/selectors. */
  readonly selector: string;
  /** What to do instead. */
  readonly message: string;
}

/**
 * A rule that reports every node one of the selectors matches.
 *
 * ESLint's own `no-restricted-syntax` is one rule for all: a second configuration block replaces the first one's list,
 * and one disable comment switches everything off. Here every restriction has its own name and scope.
 */
export function restrictSyntax(description: string, restrictions: readonly Restriction[]): Rule.RuleModule {
  return {
    meta: { type: 'problem', docs: { description }, schema: [] },
    create: (context) =>
      Object.fromEntries(
        restrictions.map(({ selector, message }) => [
          selector,
          (node: Rule.Node) => {
            context.report({ node, message });
          },
        ]),
      ),
  };
}
