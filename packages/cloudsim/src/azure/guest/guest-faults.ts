/** The effect of each fault of a VM guest. The register decides which faults are active, and whether one is triggered. */
import type { Fault, FaultRegister, FaultSubject } from '../faults/fault.ts';
import { numberOf } from '../faults/parse-fault.ts';

export interface GuestFault {
  /** Delay of the boot. */
  readonly delayMs?: number;
  /** It does not boot: no system, no disk, or it hangs once it runs. */
  readonly boot?: 'no-system' | 'disk-error' | 'hang';
  /** Exit code of the script. */
  readonly exitCode?: number;
  /** The output of the script before that, instead of the usual output for this code. */
  readonly trace?: readonly string[];
  readonly lost?: 'network' | 'dns';
  readonly node?: 'never' | 'twice' | 'unlabelled' | 'not-ready';
  /** Delay between the end of the script and the registration. */
  readonly lateMs?: number;
  /** Once the node has been ready for this long. */
  readonly later?: { readonly what: 'panic' | 'unhealthy' | 'evict'; readonly afterMs: number };
}

export const NO_FAULT: GuestFault = {};

/** As in AgentBaker issue 7907: the helper reports any failure of the program as a failure of the registry. */
const NO_ORAS: readonly string[] = [
  '+ logs_to_events AKS.CSE.orasLogin.oras_login_with_kubelet_identity oras_login_with_kubelet_identity',
  '+ retrycmd_get_refresh_token_for_oras 5 10',
  '/opt/azure/containers/provision_source.sh: line 1042: oras: command not found',
  'failed to retrieve refresh token from the registry',
];

/** By the name of the fault. Values are read when the fault's row has one. */
export const GUEST_FAULTS: Readonly<Record<string, (fault: Fault) => GuestFault>> = {
  cse: (fault) => ({ exitCode: numberOf(fault) }),
  'cse-oras': (fault) => ({ exitCode: numberOf(fault), trace: NO_ORAS }),
  'slow-boot': (fault) => ({ delayMs: numberOf(fault) }),
  'boot-failure': () => ({ boot: 'no-system' }),
  'disk-error': () => ({ boot: 'disk-error' }),
  'boot-hang': () => ({ boot: 'hang' }),
  'no-network': () => ({ lost: 'network' }),
  'no-dns': () => ({ lost: 'dns' }),
  'never-register': () => ({ node: 'never' }),
  'register-late': (fault) => ({ lateMs: numberOf(fault) }),
  'register-twice': () => ({ node: 'twice' }),
  'wrong-labels': () => ({ node: 'unlabelled' }),
  'never-ready': () => ({ node: 'not-ready' }),
  'not-ready': () => ({ node: 'not-ready' }),
  'kernel-panic': (fault) => ({ later: { what: 'panic', afterMs: numberOf(fault) } }),
  'node-unhealthy': (fault) => ({ later: { what: 'unhealthy', afterMs: numberOf(fault) } }),
  'spot-evict': (fault) => ({ later: { what: 'evict', afterMs: numberOf(fault) } }),
};

/** Those that take effect before a script runs. */
export const BOOT_FAULTS: ReadonlySet<string> = new Set([
  'slow-boot',
  'boot-failure',
  'disk-error',
  'boot-hang',
]);

/**
 * Queries the register, and only when one of the names is active: a triggered fault counts, and the fault may be meant for
 * another moment.
 */
export function triggerGuestFault(
  faults: Pick<FaultRegister, 'list' | 'trigger'>,
  subject: FaultSubject,
  names: (name: string) => boolean,
): GuestFault {
  if (!faults.list().some(({ name }) => name in GUEST_FAULTS && names(name))) return NO_FAULT;
  const fault = faults.trigger('machine', subject);
  if (fault === undefined || !names(fault.name)) return NO_FAULT;
  return GUEST_FAULTS[fault.name]?.(fault) ?? NO_FAULT;
}
