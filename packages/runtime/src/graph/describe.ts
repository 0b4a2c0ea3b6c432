import type { StateKind } from '@rs/core';
import type { LogicalGraph } from './graph.ts';
import type { DescribedState, GraphNode } from './node.ts';

export interface OperatorDescription {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  /** What the user gave; `undefined` where the id comes from the position. */
  readonly uid?: string;
  readonly detail?: string;
  readonly inputs: readonly { readonly id: string; readonly sideOutput?: string }[];
  readonly states: readonly {
    readonly name: string;
    readonly kind: StateKind;
    readonly schemaVersion: number;
  }[];
}

/**
 * A job's graph as data: for documentation, dashboards, and comparing two versions of a job. States that a function
 * declares in `open` are not in it, since that is called when the job runs.
 */
export interface GraphDescription {
  readonly operators: readonly OperatorDescription[];
  /** The graph as a Mermaid flowchart. */
  toMermaid(): string;
}

export function describeGraph(graph: LogicalGraph): GraphDescription {
  const operators = graph.nodes.map((node) => describeNode(graph, node));
  // Not enumerable, so that JSON.stringify gives the data alone.
  const description: GraphDescription = { operators, toMermaid: () => toMermaid(operators) };
  return Object.defineProperty(description, 'toMermaid', { enumerable: false });
}

function describeNode(graph: LogicalGraph, node: GraphNode): OperatorDescription {
  const states = statesOf(node);
  return {
    id: graph.operatorId(node),
    kind: node.kind,
    name: node.name,
    ...(node.uid === undefined ? {} : { uid: node.uid }),
    ...(node.detail === undefined ? {} : { detail: node.detail }),
    inputs: node.inputs.map((input) => ({
      id: graph.operatorId(input.node),
      ...(input.tag === undefined ? {} : { sideOutput: input.tag }),
    })),
    states: states.map(({ name, kind, schemaVersion }) => ({ name, kind, schemaVersion })),
  };
}

function statesOf(node: GraphNode): readonly DescribedState[] {
  if (node.kind === 'source' || node.kind === 'sink') return [];
  const declared = node.binding?.declared().filter(({ owner }) => owner === undefined) ?? [];
  return [...declared.map(({ descriptor }) => descriptor), ...(node.states ?? [])];
}

function toMermaid(operators: readonly OperatorDescription[]): string {
  const numbers = new Map(operators.map((operator, index) => [operator.id, `n${index}`]));
  const nodes = operators.map((operator) => {
    const lines = [operator.name, ...(operator.detail === undefined ? [] : [operator.detail])];
    const text = lines.map(escapeText).join('<br/>');
    const shape = operator.kind === 'source' || operator.kind === 'sink' ? [`([`, `])`] : [`[`, `]`];
    return `  ${numbers.get(operator.id)}${shape[0]}"${text}"${shape[1]}`;
  });
  const edges = operators.flatMap((operator) =>
    operator.inputs.map(({ id, sideOutput }) => {
      const arrow = sideOutput === undefined ? '-->' : `-. ${escapeText(sideOutput)} .->`;
      return `  ${numbers.get(id)} ${arrow} ${numbers.get(operator.id)}`;
    }),
  );
  return ['flowchart LR', ...nodes, ...edges].join('\n');
}

/** A line break would end the statement. */
function escapeText(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
