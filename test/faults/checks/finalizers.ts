/**
 * The order of finalizers: a claim and its Node exist longer than the VM, a node class longer than its
 * claims.
 */
import type { ObservedObject } from '../server-state/kube-state.ts';
import type { Check, MakeCheck, Traffic, View } from './check.ts';

export const finalizerOrder: MakeCheck = (view): Check => ({
  name: 'finalizer order',
  onArrival(traffic) {
    const released = releasedBy(view, traffic);
    if (released === undefined) return undefined;
    const { kind, object } = released;
    const left = whatIsLeft(view, kind, object);
    return (status) => {
      if (status < 300 && left !== undefined)
        view.violated(
          this.name,
          `${traffic.process} removed the finalizer of ${object.metadata.name} while ${left}`,
        );
    };
  },
});

// ---------------------------------------------------------------------------------------------------

type Kind = 'claims' | 'nodes' | 'classes';

/** The object whose Karpenter finalizer a patch removes. */
function releasedBy(
  { kube, nodeClasses }: View,
  { server, method, path, body }: Traffic,
): { readonly kind: Kind; readonly object: ObservedObject } | undefined {
  if (server !== 'kube' || method !== 'PATCH' || !Array.isArray(body?.metadata?.finalizers)) return undefined;
  const kinds: Readonly<Record<string, Kind>> = {
    nodeclaims: 'claims',
    nodes: 'nodes',
    [nodeClasses.plural]: 'classes',
  };
  const [, plural = '', name = ''] = /\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const kind = kinds[plural];
  if (kind === undefined) return undefined;
  const object = kube.get(kind, name);
  const had = object?.metadata.finalizers?.filter((each) => each.startsWith('karpenter.')) ?? [];
  const kept = body.metadata.finalizers as string[];
  return object === undefined || had.every((each) => kept.includes(each)) ? undefined : { kind, object };
}

function whatIsLeft(view: View, kind: Kind, object: ObservedObject): string | undefined {
  const { kube, cloud } = view;
  if (kind === 'classes') {
    const claim = kube.list('claims').find(({ spec }) => spec.nodeClassRef?.name === object.metadata.name);
    return claim === undefined ? undefined : `the claim ${claim.metadata.name} uses it`;
  }
  const claim =
    kind === 'claims'
      ? object
      : kube.list('claims').find(({ status }) => status?.providerID === object.spec?.providerID);
  const vm = claim === undefined ? undefined : cloud.instanceOf(claim.metadata.uid!);
  if (vm !== undefined) return `its VM ${vm.name} still exists${vm.deleting ? ' and is being deleted' : ''}`;
  if (kind !== 'claims') return undefined;
  const node = kube
    .list('nodes')
    .find(
      (each) =>
        each.spec?.providerID !== undefined &&
        each.spec.providerID === object.status?.providerID &&
        (each.metadata.name === `aks-${object.metadata.name}` || isSeen(view, each)),
    );
  return node === undefined ? undefined : `its node ${node.metadata.name} still exists`;
}

/** The controller asks the server for the Node with the name of the VM; one with another name it knows from its watch. */
function isSeen({ servers, unseenMs }: View, { metadata }: ObservedObject): boolean {
  return servers.world.clock.now() - Date.parse(metadata.creationTimestamp ?? '') > unseenMs;
}
