import type { Rule } from 'eslint';
import { restrictSyntax } from './restrict-syntax.ts';

const CLOCK = 'Take time from a Clock of @rs/core: only systemClock reads the clock of the machine.';
const RANDOM = 'Randomness is injected: take the generator as an option, so that a test can fix it.';
const SHARED_NAMES = 'Every export is listed by name, so that a file shows its whole public surface.';
const NAMED = 'Export it by name: one thing has one name everywhere.';
const DOUBLE =
  'A double assertion switches the type checker off. Narrow the value, or fix the type it comes from.';
const CODED = 'Throw an RsError with a code: callers match on codes, never on classes or messages.';
const COMMITTED = 'A focused, skipped or empty test hides that behaviour is unchecked.';

const ERROR_CLASSES = '/^(Error|TypeError|RangeError|SyntaxError|ReferenceError|EvalError|URIError)$/';
const TEST_FUNCTIONS = '/^(describe|it|test)$/';
const TEST_MODIFIERS = '/^(only|skip|todo|failing)$/';

/** `object.property` and `object['property']`, also on a global object: `globalThis.object.property`. */
function member(object: string, property: string): string[] {
  const objects = [`[object.name='${object}']`, `[object.property.name='${object}']`];
  const properties = [`[property.name='${property}']`, `[property.value='${property}']`];
  return objects.flatMap((left) => properties.map((right) => `MemberExpression${left}${right}`));
}

/** `const { property } = object` */
function destructured(object: string, property: string): string {
  return `VariableDeclarator[init.name='${object}'] > ObjectPattern > Property[key.name='${property}']`;
}

/** The house rules of this workspace that no plugin has. */
export const rules: Record<string, Rule.RuleModule> = {
  'no-ambient-time': restrictSyntax('time and randomness are injected', [
    ...[
      ...member('Date', 'now'),
      destructured('Date', 'now'),
      ...member('performance', 'now'),
      destructured('performance', 'now'),
      ...member('process', 'hrtime'),
      "NewExpression[callee.name='Date'][arguments.length=0]",
      "CallExpression[callee.name='Date']",
    ].map((selector) => ({ selector, message: CLOCK })),
    ...[...member('Math', 'random'), destructured('Math', 'random')].map((selector) => ({
      selector,
      message: RANDOM,
    })),
  ]),

  'no-double-assertion': restrictSyntax('`as unknown as` is forbidden', [
    {
      selector: 'TSAsExpression > TSAsExpression[typeAnnotation.type=/^TS(Unknown|Never|Any)Keyword$/]',
      message: DOUBLE,
    },
  ]),

  'no-export-star': restrictSyntax('exports are listed by name', [
    { selector: 'ExportAllDeclaration', message: SHARED_NAMES },
  ]),

  'no-default-export': restrictSyntax('nothing is exported as default', [
    { selector: 'ExportDefaultDeclaration', message: NAMED },
    { selector: "ExportSpecifier[exported.name='default']", message: NAMED },
  ]),

  'no-bare-error': restrictSyntax('errors of packages are RsError', [
    { selector: `NewExpression[callee.name=${ERROR_CLASSES}]`, message: CODED },
    { selector: `CallExpression[callee.name=${ERROR_CLASSES}]`, message: CODED },
  ]),

  'no-unfinished-test': restrictSyntax('no focused, skipped or empty tests', [
    {
      selector: `MemberExpression[object.name=${TEST_FUNCTIONS}][property.name=${TEST_MODIFIERS}]`,
      message: COMMITTED,
    },
    {
      selector: `MemberExpression[object.object.name=${TEST_FUNCTIONS}][property.name=${TEST_MODIFIERS}]`,
      message: COMMITTED,
    },
    { selector: 'CallExpression[callee.name=/^(xit|xtest|xdescribe|fit|fdescribe)$/]', message: COMMITTED },
  ]),
};
