import type { Expression } from 'luaparse';
import { expands } from '../program/resolve.ts';
import { literalInteger, literalText } from '../program/literal.ts';

/** The arguments of a command that are keys; or why that cannot be told from the code. */
export type KeyArguments = { readonly keys: readonly Expression[] } | { readonly unclear: string };

/** Where the keys of a command are, given its arguments without its name. */
export type KeyRule = (args: readonly Expression[]) => KeyArguments;

export const noKeys: KeyRule = () => ({ keys: [] });

/** The arguments at these places, counted from 0. */
export function keysAt(...places: readonly number[]): KeyRule {
  return (args) => {
    const last = args.at(-1);
    const keys = places.map(
      (place) => args[place] ?? (last !== undefined && expands(last) ? last : undefined),
    );
    const present = keys.filter((key) => key !== undefined);
    return present.length === keys.length ? { keys: present } : { unclear: 'its key is missing' };
  };
}

/** Every `step`th argument from `first` on. */
export function keysFrom(first: number, step = 1): KeyRule {
  return (args) => {
    const last = args.at(-1);
    const keys = args.filter(
      (arg, at) => at >= first && ((at - first) % step === 0 || (arg === last && expands(arg))),
    );
    return keys.length > 0 ? { keys } : { unclear: 'its keys are missing' };
  };
}

/** `numkeys key …`, with the number at `place`; `also` are keys before it. */
export function countedKeys(place: number, also: readonly number[] = []): KeyRule {
  return (args) => {
    const count = literalInteger(args[place]);
    if (count === undefined) return { unclear: 'its number of keys is not written out' };
    const counted = Array.from({ length: count }, (_, at) => place + 1 + at);
    return keysAt(...also, ...counted)(args);
  };
}

/** `… STREAMS key … id …` */
export const keysOfStreams: KeyRule = (args) => {
  const word = args.findIndex((arg) => literalText(arg)?.toUpperCase() === 'STREAMS');
  const rest = args.slice(word + 1);
  const last = rest.at(-1);
  if (word < 0 || last === undefined) return { unclear: 'there is no STREAMS followed by keys and ids' };
  if (last.type === 'VarargLiteral' || isUnpack(last))
    return { unclear: 'its keys and ids are not written out' };
  if (rest.length % 2 !== 0) return { unclear: 'after STREAMS come as many ids as keys' };
  return { keys: rest.slice(0, rest.length / 2) };
};

/** The rule of the sub-command that is the first argument; places count from the one after it. */
export function bySubcommand(rules: Readonly<Record<string, KeyRule>>): KeyRule {
  return (args) => {
    const [first, ...rest] = args;
    const name = literalText(first)?.toUpperCase();
    const rule = name === undefined ? undefined : rules[name];
    return rule?.(rest) ?? { unclear: `its sub-command is none of ${Object.keys(rules).join(', ')}` };
  };
}

function isUnpack(node: Expression): boolean {
  return node.type === 'CallExpression' && node.base.type === 'Identifier' && node.base.name === 'unpack';
}
