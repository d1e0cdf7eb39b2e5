/** Binding: assigns a pod to a node, once. Both pods/binding and the older bindings collection. */
import type { KubeObject, Status } from '@chandler/kube';
import { decodeAs } from '../../builtin/strategy.ts';
import { structureOf } from '../../builtin/structures.ts';
import { badRequest, conflict, internalFault, notFound, type QualifiedResource } from '../../errors.ts';
import { cloneJson } from '../../storage/json.ts';
import type { Call } from '../call.ts';
import { storageConflict } from '../preconditions.ts';
import { setPodCondition } from './pod-conditions.ts';

export function decodeBinding(call: Call, body: unknown, duplicates: readonly string[]): KubeObject {
  const structure = structureOf('', 'v1', 'Binding')!;
  return decodeAs(
    { group: '', version: 'v1', kind: 'Binding', namespaced: true, structure },
    body,
    call,
    duplicates,
  );
}

/** `call` is on pods; `name` is the pod's name as the URL has it, or the binding's own. */
export function bindPod(call: Call, binding: KubeObject, name: string): Status {
  const metadata = binding.metadata ?? {};
  if ((metadata.name ?? '') !== name) throw badRequest('name in URL does not match name in Binding object');
  const target = (binding['target'] ?? {}) as { kind?: string; name?: string };
  checkTarget(target);
  const { store } = call.parts;
  const stored = store.get('pods', call.namespace ?? '', name);
  if (stored === undefined) throw notFound(PODS, name);
  const current = stored.object;
  for (const [field, label] of [
    ['uid', 'UID'],
    ['resourceVersion', 'ResourceVersion'],
  ] as const) {
    const wanted = metadata[field] ?? '';
    if (wanted !== '' && wanted !== current.metadata[field]) {
      throw storageConflict(call.resource, current, label, wanted, current.metadata[field] ?? '');
    }
  }
  const refusal = refusalOf(current, name);
  if (refusal !== undefined) throw conflict({ group: '', plural: 'pods/binding' }, name, refusal);
  if (!call.dryRun) store.update('pods', bound(current, target.name!, binding, call));
  return CREATED;
}

// ---------------------------------------------------------------------------------------------------

const PODS: QualifiedResource = { group: '', plural: 'pods' };
const CREATED: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

function checkTarget(target: { kind?: string; name?: string }): void {
  const errors: string[] = [];
  if ((target.kind ?? '') !== '' && target.kind !== 'Node') {
    errors.push(
      `target.kind: Unsupported value: ${JSON.stringify(target.kind)}: supported values: "Node", "<empty>"`,
    );
  }
  if ((target.name ?? '') === '') errors.push('target.name: Required value');
  if (errors.length > 0) throw internalFault(errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]`);
}

function refusalOf(pod: KubeObject, name: string): string | undefined {
  const spec = (pod['spec'] ?? {}) as { nodeName?: string; schedulingGates?: unknown[] };
  if (pod.metadata.deletionTimestamp !== undefined)
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  if ((spec.nodeName ?? '') !== '')
    return `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
  if ((spec.schedulingGates?.length ?? 0) > 0) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

function bound(current: KubeObject, node: string, binding: KubeObject, call: Call): KubeObject {
  const next = cloneJson(current);
  (next['spec'] as Record<string, unknown>)['nodeName'] = node;
  delete (next['status'] as Record<string, unknown> | undefined)?.['nominatedNodeName'];
  const { annotations, labels } = binding.metadata ?? {};
  if (annotations !== undefined) next.metadata.annotations = { ...next.metadata.annotations, ...annotations };
  if (labels !== undefined) next.metadata.labels = { ...next.metadata.labels, ...labels };
  setPodCondition(next, { type: 'PodScheduled', status: 'True' }, call.now);
  return next;
}
