/** Finalizers go last: a claim and its Node stay as long as there is a machine, a class as long as there are claims of it. */
import type { TruthObject } from '../truth/kube-truth.ts';
import type { Check, MakeCheck, Traffic, View } from './check.ts';

export const finalizersGoLast: MakeCheck = (view): Check => ({
  name: 'finalizers go last',
  onArrival(traffic) {
    const released = releasedBy(view, traffic);
    if (released === undefined) return undefined;
    const { path, object } = released;
    const left = whatIsLeft(view, path, object);
    return (status) => {
      if (status < 300 && left !== undefined)
        view.violated(this.name, `${object.metadata.name} was let go by ${traffic.process} while ${left}`);
    };
  },
});

// ---------------------------------------------------------------------------------------------------

const TARGETS = {
  nodeclaims: 'claims',
  nodes: 'nodes',
  aksnodeclasses: 'classes',
} as const;

type Path = keyof typeof TARGETS;

/** The object whose finalizer of ours a patch takes off. */
function releasedBy(
  { kube }: View,
  { server, method, path, body }: Traffic,
): { readonly path: Path; readonly object: TruthObject } | undefined {
  if (server !== 'kube' || method !== 'PATCH' || !Array.isArray(body?.metadata?.finalizers)) return undefined;
  const [, plural, name] = /\/(nodeclaims|nodes|aksnodeclasses)\/([^/]+)$/.exec(path) ?? [];
  if (plural === undefined || name === undefined) return undefined;
  const object = kube.get(TARGETS[plural as Path], name);
  const had = object?.metadata.finalizers?.filter((each) => each.startsWith('karpenter.')) ?? [];
  const kept = body.metadata.finalizers as string[];
  return object === undefined || had.every((each) => kept.includes(each))
    ? undefined
    : { path: plural as Path, object };
}

function whatIsLeft(view: View, path: Path, object: TruthObject): string | undefined {
  const { kube, azure } = view;
  if (path === 'aksnodeclasses') {
    const claim = kube.list('claims').find(({ spec }) => spec.nodeClassRef?.name === object.metadata.name);
    return claim === undefined ? undefined : `the claim ${claim.metadata.name} is made from it`;
  }
  const claim =
    path === 'nodeclaims'
      ? object
      : kube.list('claims').find(({ status }) => status?.providerID === object.spec?.providerID);
  const vm = claim === undefined ? undefined : azure.vmOf(claim.metadata.uid!);
  if (vm !== undefined) return `its machine ${vm.name} is there${vm.deleting ? ', going' : ''}`;
  if (path !== 'nodeclaims') return undefined;
  const node = kube
    .list('nodes')
    .find(({ spec }) => spec?.providerID !== undefined && spec.providerID === object.status?.providerID);
  return node === undefined ? undefined : `its node ${node.metadata.name} is there`;
}
