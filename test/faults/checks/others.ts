/** Objects of another provider are left alone: no process writes a NodePool, NodeClaim or Node that is not ours. */
import { OTHERS } from '../server-state/kube-state.ts';
import { type Check, isWrite, type MakeCheck } from './check.ts';

export const othersAreLeftAlone: MakeCheck = (view): Check => ({
  name: 'objects of others are left alone',
  onSend({ server, process, method, path }) {
    const [, kind, name] = /\/(nodepools|nodeclaims|nodes)\/([^/]+)/.exec(path) ?? [];
    if (server === 'kube' && name === OTHERS && isWrite({ method }))
      view.violated(this.name, `${process} sends ${method} to ${kind} ${name}`);
  },
});
