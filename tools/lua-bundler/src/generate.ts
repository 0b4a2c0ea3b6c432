import { createHash } from 'node:crypto';
import type { ArgumentField, ArgumentType, FieldList, KeyField } from './header/header.ts';
import type { BundledScript } from './script.ts';

const TYPES: Readonly<Record<ArgumentType, string>> = {
  text: 'string',
  integer: 'number',
  bytes: 'string | Uint8Array',
  any: 'RedisArgument',
};

/**
 * The TypeScript module for the scripts of a package.
 *
 * @param command what writes the file, for whoever opens it
 */
export function generateModule(scripts: readonly BundledScript[], command: string): string {
  const parts = scripts.map(scriptPart);
  const list = scripts.map(({ name }) => `  ${camelCase(name)}Script,\n`).join('');
  const types = parts.some((part) => part.includes('RedisArgument'))
    ? 'RedisArgument, Script, ScriptCall'
    : 'Script, ScriptCall';
  return [
    `// Written by \`${command}\` from the Lua files of this folder. Do not edit.\n`,
    `import type { ${types} } from '@rs/redis';\n\n`,
    parts.join('\n'),
    `\n/** All scripts, in the order of their names: for loading them at start. */\n`,
    `export const SCRIPTS: readonly Script[] = [\n${list}];\n`,
  ].join('');
}

/** `move-due` → `moveDue`. */
export function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function scriptPart({ name, header, source }: BundledScript): string {
  const id = camelCase(name);
  const { keys, args } = header;
  const withArgs = args.fixed.length > 0 || args.tail !== undefined;
  const more = keys.tail === undefined ? '' : ` any number of \`${keys.tail.name}\` comes on top.`;
  return `export const ${id}Script: Script = {
  name: '${name}',
  sha1: '${createHash('sha1').update(source).digest('hex')}',
  resendable: ${header.resendable},
  source: \`${templateText(source)}\`,
};

/** How many keys \`${name}\` takes${more === '' ? '.' : `;${more}`} */
export const ${id}KeyCount = ${keys.fixed.length};

${docComment([header.description, labelled('Returns', header.returns), labelled('Errors', header.errors)], '')}
export function ${id}(call: {
  readonly keys: {
${members(keys, () => 'string')}  };
${withArgs ? `  readonly args: {\n${members(args, ({ type }) => TYPES[type])}  };\n` : ''}}): ScriptCall {
  const { keys${withArgs ? ', args' : ''} } = call;
  return {
    script: ${id}Script,
    keys: [${values(keys, 'keys')}],
    args: [${values(args, 'args')}],
  };
}
`;
}

function members<F extends KeyField>({ fixed, tail }: FieldList<F>, typeOf: (field: F) => string): string {
  const member = (field: F, type: string): string =>
    `${docComment([field.text], '    ')}\n    readonly ${field.name}: ${type};\n`;
  const last = tail === undefined ? '' : member(tail, listOf(typeOf(tail)));
  return fixed.map((field) => member(field, typeOf(field))).join('') + last;
}

function listOf(type: string): string {
  return type.includes('|') ? `readonly (${type})[]` : `readonly ${type}[]`;
}

function values({ fixed, tail }: FieldList<KeyField | ArgumentField>, from: string): string {
  const items = fixed.map(({ name }) => `${from}.${name}`);
  if (tail !== undefined) items.push(`...${from}.${tail.name}`);
  return items.join(', ');
}

function labelled(label: string, text: string): string {
  return `**${label}** ${text.replaceAll('\n', '\n  ')}`;
}

function docComment(paragraphs: readonly string[], indent: string): string {
  const lines = paragraphs.join('\n\n').replaceAll('*/', '*\\/').replaceAll('@', '\\@').split('\n');
  const [only = ''] = lines;
  if (lines.length === 1) return `${indent}/** ${only} */`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n');
}

function templateText(text: string): string {
  return text.replace(/[\\`]|\$(?=\{)/g, '\\$&').replaceAll('\r', '\\r');
}
