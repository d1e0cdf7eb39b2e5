/**
 * The evidence about a machine whose Node does not become Ready: the last lines of logs, the Node, the state of the
 * machine, and the failure. Causes are matched against nothing else.
 */
import type { NodeFacts } from '../azure/cluster-client.ts';

export interface FlexEvidence {
  readonly nodeName: string;
  /** The cluster of the config, and the host name or IP address of its API server, once it is known. */
  readonly cluster?: { readonly name: string; readonly group: string; readonly host?: string };
  /** Ends of the units' journals since they were started, secrets taken out. */
  readonly logs: Readonly<Record<LogSource, string>>;
  /** `undefined`: not asked, or no answer. `null`: the API server has no such Node. */
  readonly node?: NodeFacts | null;
  /** Code and message of the failure that led here. */
  readonly failure?: { readonly code: string; readonly message: string };
  readonly versions?: { readonly kubelet?: string; readonly server?: string };
  /** As `azcmagent show` says: Connected, Disconnected, Expired. */
  readonly arcStatus?: string;
  /** The kubelet authenticates with its certificate, and needs no token of the Arc agent. */
  readonly usesCertificate?: boolean;
  /** containerd responds, and systemd has not restarted it: lines that it did not respond are about an earlier start. */
  readonly containerdStable?: boolean;
  readonly swapOn?: boolean;
  readonly selinux?: 'enforcing' | 'permissive' | 'disabled';
  /** How often systemd has started the kubelet again. */
  readonly restarts?: number;
}

export type LogSource = 'kubelet' | 'containerd';

/** The journals' ends and nothing else: for tests and for callers that know no more. */
export function evidenceOf(overrides: Partial<FlexEvidence> = {}): FlexEvidence {
  return { nodeName: 'node', logs: { kubelet: '', containerd: '' }, ...overrides };
}
