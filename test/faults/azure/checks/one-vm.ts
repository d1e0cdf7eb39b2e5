/**
 * Never two VMs at a time, and no second VM once one has started. A VM that failed and was deleted may be replaced, and so
 * may one that was deleted outside Chandler before its claim was updated.
 */
import { isTrue, type MakeCheck } from '../../checks/check.ts';
import { INSTANCE } from '../../server-state/cloud-state.ts';

export const oneVmPerClaim: MakeCheck = (view) => {
  /** Started VMs, by UID of their claim. */
  const up = new Map<string, string>();
  /** UIDs of the claims whose VM Chandler deleted. A later claim may have the same name. */
  const deleted = new Set<string>();
  return {
    name: 'one VM per NodeClaim',
    onArrival({ server, method, path }) {
      if (server !== 'cloud' || method !== 'DELETE') return undefined;
      const [, name] = /\/virtualMachines\/([^/]+)$/i.exec(path) ?? [];
      const vm = view.cloud.list().find((each) => each.part === INSTANCE && each.name === name);
      const claimUid = vm === undefined ? undefined : view.cloud.claimOf(vm);
      if (claimUid !== undefined) deleted.add(claimUid);
      return undefined;
    },
    onCloud({ type, thing }) {
      const { part, instanceId = '', name } = thing;
      const claimUid = view.cloud.claimOf(thing);
      if (part !== INSTANCE || claimUid === undefined) return;
      if (type === 'gone') {
        const claim = view.kube.byUid('claims', claimUid);
        if (claim !== undefined && !isTrue(claim, 'Launched') && !deleted.has(claimUid)) up.delete(claimUid);
        return;
      }
      const first = up.get(claimUid);
      if (first !== undefined && first !== instanceId)
        view.violated(
          this.name,
          `VM ${name} ${instanceId} was created for claim ${claimUid}, which already had ${first}`,
        );
      if (thing.up) up.set(claimUid, first ?? instanceId);
      const live = view.cloud
        .list()
        .filter((each) => each.part === INSTANCE && view.cloud.claimOf(each) === claimUid);
      if (live.length > 1)
        view.violated(this.name, `claim ${claimUid} has the VMs ${live.map((vm) => vm.name).join(' and ')}`);
    },
  };
};
