/** A cluster for machines: records what happens to kubelets, and stores the Nodes in a server that validates nothing. */
import { TinyServer } from '@chandler/kube/testing';
import type { NodeHost, NodeRegistration } from '../../node-host.ts';

export class RecordingHost implements NodeHost {
  readonly calls: string[] = [];
  readonly registered: NodeRegistration[] = [];
  readonly cluster = new TinyServer();

  async startKubelet(node: NodeRegistration): Promise<void> {
    this.calls.push('start');
    this.registered.push(node);
    const { name, labels, taints } = node;
    this.cluster.put(`/api/v1/nodes/${name}`, {
      kind: 'Node',
      metadata: { name, labels: { ...labels } },
      spec: { taints },
    });
  }

  stopKubelet(): void {
    this.calls.push('stop');
  }

  async resumeKubelet(): Promise<void> {
    this.calls.push('resume');
  }

  async removeNode(nodeName: string): Promise<void> {
    this.calls.push('remove');
    this.cluster.remove(`/api/v1/nodes/${nodeName}`);
  }
}
