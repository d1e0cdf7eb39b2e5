/**
 * The interface between the compute provider and what runs inside the VMs: the provider reports what happens to a VM, the
 * guest reports its progress. Without hooks, VMs boot and scripts succeed after their usual time.
 */
import type { ArmResource } from '../store/resource.ts';
import type { ArmErrorBody } from '../wire/errors.ts';

/** A VM as its guest sees it. */
export interface VmFacts {
  readonly id: string;
  readonly name: string;
  /** `properties.vmId`. */
  readonly vmId: string;
  readonly resourceGroup: string;
  readonly location: string;
  readonly zone: string | undefined;
  readonly size: string;
  readonly spot: boolean;
  readonly computerName: string;
  /** Decoded; empty when none was given. */
  readonly customData: string;
  readonly privateIpAddress: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  /** The complete resource, as last put. */
  readonly resource: ArmResource;
}

export interface ExtensionFacts {
  readonly name: string;
  readonly publisher: string;
  readonly type: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly protectedSettings: Readonly<Record<string, unknown>>;
}

/** The result of a script or an agent. Exit code 0 is success. */
export interface ExtensionOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The extension never answered: `VMExtensionProvisioningTimeout`. */
  readonly timedOut?: boolean;
  /** The complete status message, where it is not that of a script. */
  readonly message?: string;
}

export interface VmHooks {
  /** The VM is allocated and starts. `done` ends the operation; with an error the VM is Failed. */
  provision?(vm: VmFacts, done: (error?: ArmErrorBody) => void): void;
  /** The VM's operation has succeeded: it is Running. */
  vmRunning?(vm: VmFacts): void;
  /** The VM has failed, with what. */
  vmFailed?(vm: VmFacts, error: ArmErrorBody): void;
  /** The VM loses power and boots again, from the same disk. */
  vmRestarted?(vm: VmFacts): void;
  /** The VM is powered off and deleted; also called for an evicted one. */
  vmGone?(vm: VmFacts): void;
  runExtension?(vm: VmFacts, extension: ExtensionFacts, done: (outcome: ExtensionOutcome) => void): void;
}

export interface InstanceStatus {
  readonly code: string;
  readonly level: 'Info' | 'Warning' | 'Error';
  readonly displayStatus: string;
  readonly message?: string;
  /** ISO 8601. */
  readonly time?: string;
}

export type PowerState =
  | 'starting'
  | 'running'
  | 'stopping'
  | 'stopped'
  | 'deallocating'
  | 'deallocated'
  | 'unknown';

/** What the guest reports; the provider adds the rest of the instance view. */
export interface InstanceViewPatch {
  readonly power?: PowerState;
  /** `Ready` or what it is instead; undefined: the agent never answered. */
  readonly agent?: { readonly version: string; readonly status: InstanceStatus };
  readonly computerName?: string;
  readonly osName?: string;
  readonly osVersion?: string;
}

/** What guests and tests may do to VMs without HTTP. Ids in any case. */
export interface VmControl {
  vm(id: string): VmFacts | undefined;
  powerOf(id: string): PowerState | undefined;
  setInstanceView(id: string, patch: InstanceViewPatch): void;
  /** Appended; the last 256 KiB are kept. */
  appendSerialLog(id: string, text: string): void;
  serialLog(id: string): string;
  /** A spot eviction: the VM is deleted or deallocated according to its policy. */
  evict(id: string): void;
}
