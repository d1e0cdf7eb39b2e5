/** What a machine was told about the cluster it joins, whatever the format it was told in. */
import type { Labels, Taint } from '@chandler/kube';

export interface NodeSettings {
  readonly clusterName: string;
  /** Empty: to be read from EKS. */
  readonly endpoint: string;
  /** Base64 of the PEM; empty: to be read from EKS. */
  readonly certificateAuthority: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly maxPods: number | undefined;
  /** By resource: `cpu`, `memory`, `ephemeral-storage`. */
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly systemReserved: Readonly<Record<string, string>>;
  /** `memory.available` and so on. */
  readonly evictionHard: Readonly<Record<string, string>>;
}

/** The machine cannot be configured: the message that its console shows. */
export class BootstrapError extends Error {}

/** `a=b,c=d`. */
export function pairsOf(text: string | undefined, separator = '='): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const part of (text ?? '').split(',')) {
    const at = part.indexOf(separator);
    if (at > 0) pairs[part.slice(0, at).trim()] = part.slice(at + separator.length).trim();
  }
  return pairs;
}

/** `key=value:Effect,key:Effect`, as the flag of the kubelet. */
export function taintsOf(text: string | undefined): readonly Taint[] {
  return (text ?? '')
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [, key = '', value = '', effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(part) ?? [];
      if (key === '')
        throw new BootstrapError(`invalid argument "${part}" for "--register-with-taints" flag`);
      return { key, value, effect } as Taint;
    });
}

/** From the flags of a kubelet. */
export function kubeletSettings(flags: ReadonlyMap<string, string>) {
  const maxPods = flags.get('max-pods');
  return {
    labels: pairsOf(flags.get('node-labels')),
    taints: taintsOf(flags.get('register-with-taints')),
    maxPods: maxPods === undefined ? undefined : Number(maxPods),
    kubeReserved: pairsOf(flags.get('kube-reserved')),
    systemReserved: pairsOf(flags.get('system-reserved')),
    evictionHard: pairsOf(flags.get('eviction-hard'), '<'),
  };
}
