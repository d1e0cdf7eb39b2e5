/** What a pod asks for in all: its containers together, or its biggest init container, plus overhead. */
import { type KubeObject, parseQuantity, type Quantity } from '@chandler/kube';

export type ResourceList = Record<string, string>;

export function podRequests(pod: KubeObject): ResourceList {
  return podSum(pod, 'requests');
}

export function podLimits(pod: KubeObject): ResourceList {
  return podSum(pod, 'limits');
}

/** Name by name; a name that one side lacks counts as zero there. */
export function addResources(left: ResourceList, right: ResourceList): ResourceList {
  return combine(left, right, (one, other) => one.add(other));
}

// ---------------------------------------------------------------------------------------------------

interface Container {
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList };
}

interface PodSpec {
  readonly containers?: Container[];
  readonly initContainers?: Container[];
  readonly overhead?: ResourceList;
}

function podSum(pod: KubeObject, field: 'requests' | 'limits'): ResourceList {
  const spec = (pod['spec'] ?? {}) as PodSpec;
  let running: ResourceList = {};
  for (const { resources } of spec.containers ?? [])
    running = addResources(running, resources?.[field] ?? {});
  let sidecars: ResourceList = {};
  let peak: ResourceList = {};
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const own = resources?.[field] ?? {};
    if (restartPolicy === 'Always') {
      running = addResources(running, own);
      sidecars = addResources(sidecars, own);
      peak = combine(peak, sidecars, larger);
    } else {
      peak = combine(peak, addResources(own, sidecars), larger);
    }
  }
  const needed = combine(running, peak, larger);
  if (spec.overhead === undefined) return needed;
  if (field === 'requests') return addResources(needed, spec.overhead);
  const bounded = Object.fromEntries(
    Object.entries(spec.overhead).filter(([name]) => needed[name] !== undefined),
  );
  return addResources(needed, bounded);
}

function larger(one: Quantity, other: Quantity): Quantity {
  return one.compare(other) < 0 ? other : one;
}

function combine(
  left: ResourceList,
  right: ResourceList,
  join: (one: Quantity, other: Quantity) => Quantity,
): ResourceList {
  const result: ResourceList = { ...left };
  for (const [name, text] of Object.entries(right)) {
    const before = result[name];
    result[name] = before === undefined ? text : join(parseQuantity(before), parseQuantity(text)).toString();
  }
  return result;
}
