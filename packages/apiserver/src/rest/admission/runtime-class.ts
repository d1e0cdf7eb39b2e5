/** A pod with a runtime class gets its overhead and its scheduling constraints. */
import type { KubeObject } from '@chandler/kube';
import { equalJson } from '../../storage/json.ts';
import { type AdmissionPlugin, isKind, refused, specOf } from './admission.ts';

export const RUNTIME_CLASS: AdmissionPlugin = {
  name: 'RuntimeClass',
  mutate(attributes) {
    const { call, operation, object } = attributes;
    if (operation !== 'CREATE' || !isKind(call, '', 'pods') || call.subresource !== undefined) return;
    const spec = specOf<PodSpec>(object!);
    const name = spec.runtimeClassName ?? '';
    if (name === '') return;
    const found = call.lookup('runtimeclasses.node.k8s.io', '', name) as RuntimeClass | undefined;
    if (found === undefined)
      throw refused(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
    const overhead = found.overhead?.podFixed;
    if (overhead !== undefined) {
      if (spec.overhead !== undefined && !equalJson(spec.overhead, overhead)) {
        throw refused(
          attributes,
          "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        );
      }
      spec.overhead = { ...overhead };
    }
    const conflict = place(spec, found.scheduling ?? {});
    if (conflict !== undefined) throw refused(attributes, `conflict: ${conflict}`);
  },
};

// ---------------------------------------------------------------------------------------------------

interface PodSpec {
  runtimeClassName?: string;
  overhead?: Record<string, string>;
  nodeSelector?: Record<string, string>;
  tolerations?: object[];
}

interface RuntimeClass extends KubeObject {
  readonly overhead?: { readonly podFixed?: Record<string, string> };
  readonly scheduling?: Scheduling;
}

interface Scheduling {
  readonly nodeSelector?: Record<string, string>;
  readonly tolerations?: object[];
}

/** Returns the label on which pod and class conflict, if any. */
function place(spec: PodSpec, scheduling: Scheduling): string | undefined {
  for (const [label, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[label];
    if (own !== undefined && own !== value) {
      return `runtimeClass.scheduling.nodeSelector[${label}] = ${value}; pod.spec.nodeSelector[${label}] = ${own}`;
    }
    spec.nodeSelector = { ...spec.nodeSelector, [label]: value };
  }
  const missing = (scheduling.tolerations ?? []).filter(
    (toleration) => !spec.tolerations?.some((other) => equalJson(other, toleration)),
  );
  if (missing.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...missing];
  return undefined;
}
