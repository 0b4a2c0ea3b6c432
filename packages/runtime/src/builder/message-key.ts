import { RsError } from '@rs/core';
import { type GraphNode, labelOf, type NodeInput, type NodeKind } from '../graph/node.ts';
import type { SourceSpec } from './source-spec.ts';

/** What makes one record of another and leaves it the key of its message. */
const KEEPS_KEY: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'map',
  'filter',
  'flatMap',
  'mapAsync',
  'timestamps',
  'union',
]);

/** Refuses a stream whose records do not have the key of a message with them. @throws RsError `RS_INVALID_ARGUMENT` */
export function checkHasMessageKey(output: NodeInput): void {
  const seen = new Set<GraphNode>();
  const open = [output];
  for (let input = open.pop(); input !== undefined; input = open.pop()) {
    const { node, tag } = input;
    if (seen.has(node)) continue;
    seen.add(node);
    if (tag !== undefined) throw refused(`a side output of ${labelOf(node)}`);
    if (node.kind === 'source' ? !isTopic(node.source) : !KEEPS_KEY.has(node.kind))
      throw refused(labelOf(node));
    open.push(...node.inputs);
  }
}

function isTopic(source: unknown): boolean {
  return (source as SourceSpec | undefined)?.type === 'topic';
}

function refused(origin: string): RsError {
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `keyByMessageKey: records of ${origin} have no message key; only those of topics have, up to the first operator ` +
      'other than map, filter, flatMap, mapAsync, assignTimestampsAndWatermarks and union. Use keyBy(selector)',
    { details: { operation: 'keyByMessageKey', operator: origin } },
  );
}
