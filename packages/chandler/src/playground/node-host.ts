/** Lets the VMs of a simulated cloud become nodes of the playground's cluster: its stand-in kubelet runs them. */
import type { Standins } from '@chandler/apiserver/standins';
import type { NodeHost } from '@chandler/cloudsim';

export function standinNodeHost(
  standins: Pick<Standins, 'addNode' | 'stopNode' | 'resumeNode' | 'removeNode'>,
): NodeHost {
  return {
    async startKubelet({ capacity, ...node }) {
      await standins.addNode({ ...node, resources: capacity });
    },
    stopKubelet: (name) => standins.stopNode(name),
    resumeKubelet: (name) => standins.resumeNode(name),
    removeNode: (name) => standins.removeNode(name),
  };
}
