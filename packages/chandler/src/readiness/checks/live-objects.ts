/** Short forms of checks about a live cluster: its objects, their conditions, and what they are compared with. */
import type { Inputs, Manifest } from '../inputs/inputs.ts';
import type { Evidence } from '../model/finding.ts';
import { find, itemsAt, leaves, type Tree, textAt, textOf } from '../model/tree.ts';
import { type Read, seen } from './judgements.ts';

export function liveObjects({ cluster }: Inputs, ...kinds: readonly string[]): readonly Manifest[] {
  return (cluster?.objects ?? []).filter(({ kind }) => kinds.includes(kind));
}

/** Of a kind, as the API server knows it; absent where there is none. */
export function liveObject(
  inputs: Inputs,
  kind: string,
  name: string,
  namespace?: string,
): Manifest | undefined {
  return liveObjects(inputs, kind).find((each) => each.name === name && each.namespace === namespace);
}

export interface SeenCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly evidence: Evidence;
}

/** A condition of the status; undefined where the object has none of this type. */
export function condition({ tree, source }: Read, type: string): SeenCondition | undefined {
  const found = itemsAt(tree, 'status', 'conditions').find((each) => textAt(each, 'type') === type);
  if (found === undefined) return undefined;
  const status = textAt(found, 'status') ?? 'Unknown';
  const reason = textAt(found, 'reason') ?? '';
  const message = textAt(found, 'message') ?? '';
  const value = [status, reason, message].filter((text) => text !== '' && text !== type).join(' ');
  return { status, reason, message, evidence: { source, what: `condition ${type}`, value, at: found.at } };
}

/** That there is nothing of a kind, as evidence. @param call where it was looked for. */
export function none(what: string, call: string): Evidence {
  return { source: 'live', what, note: 'absent', at: { call } };
}

/** The value of a variable of the environment of a container; undefined where it is not set. */
export function variableOf(workload: Manifest, container: string, name: string): Tree | undefined {
  const own = itemsAt(workload.tree, 'spec', 'template', 'spec', 'containers').find(
    (each) => textAt(each, 'name') === container,
  );
  const variable = itemsAt(own, 'env').find((each) => textAt(each, 'name') === name);
  return find(variable, 'value');
}

/** The same as evidence. */
export function seenVariable(workload: Manifest, container: string, name: string): Evidence {
  const value = textOf(variableOf(workload, container, name));
  const what = `${workload.kind}/${workload.name} ${name}`;
  return {
    source: workload.source,
    what,
    at: workload.at,
    ...(value === undefined ? { note: 'absent' } : { value }),
  };
}

/** Values of a file that the live object does not have: of each the path, and both values. */
export function differences(
  declared: Manifest,
  live: Manifest,
): readonly { readonly path: string; readonly evidence: readonly Evidence[] }[] {
  const found: { path: string; evidence: readonly Evidence[] }[] = [];
  for (const { path, tree } of leaves(find(declared.tree, 'spec'))) {
    if (tree.kind === 'unknown' || tree.value === null) continue;
    const own = find(live.tree, 'spec', ...path);
    if (own !== undefined && textOf(own) === String(tree.value)) continue;
    const whole = ['spec', ...path];
    found.push({
      path: whole.join('.'),
      evidence: [seen(declared, ...whole), seen(live, ...whole)],
    });
  }
  return found;
}

/** Whether a node is one of a NodePool. */
export function isProvisioned({ tree }: Manifest): boolean {
  return find(tree, 'metadata', 'labels', 'karpenter.sh/nodepool') !== undefined;
}

export function isReadyNode(node: Manifest): boolean {
  return condition(node, 'Ready')?.status === 'True';
}
