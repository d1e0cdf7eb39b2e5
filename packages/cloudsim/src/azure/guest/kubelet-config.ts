/**
 * The configuration that a kubelet derives from its flags and node labels, or the message with which it exits. Capacity is
 * an input; where it registers and whether it is authorized is decided elsewhere.
 */
import { type Labels, parseQuantity, Quantity, QuantityError, type Taint } from '@chandler/kube';
import { KUBELET_FLAGS, OWN_LABEL_DOMAINS, OWN_LABELS, REMOVED_FLAGS } from './kubelet-flags.table.ts';

export interface KubeletConfig {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly maxPods: number;
  /** It waits for a cloud controller to set its provider ID. */
  readonly externalCloud: boolean;
  /** What is reserved and not available to pods, by resource. */
  readonly reserved: Reserved;
}

export interface Reserved {
  /** Thousandths of a core. */
  readonly milliCpu: number;
  readonly memoryBytes: number;
  /** Of the file system: a share or an amount. */
  readonly storageShare: number;
  readonly storageBytes: number;
}

/** The kubelet exits with this message. */
export class KubeletExit extends Error {
  override readonly name = 'KubeletExit';
}

/** @throws {KubeletExit} when the kubelet would not start. */
export function readKubeletConfig(flagText: string, labelText: string, minor: number): KubeletConfig {
  const flags = readFlags(flagText, minor);
  const evictions = readEvictions(flags.get('eviction-hard'));
  const kube = readReserved('kube-reserved', flags.get('kube-reserved'));
  const system = readReserved('system-reserved', flags.get('system-reserved'));
  return {
    labels: readLabels(labelText),
    taints: readTaints(flags.get('register-with-taints')),
    maxPods: readWhole('max-pods', flags.get('max-pods') ?? '110'),
    externalCloud: flags.get('cloud-provider') === 'external',
    reserved: {
      milliCpu: kube.milliCpu + system.milliCpu,
      memoryBytes: kube.memoryBytes + system.memoryBytes + evictions.memoryBytes,
      storageShare: evictions.storageShare,
      storageBytes: evictions.storageBytes,
    },
  };
}

/** `key=value:Effect` or `key:Effect`, comma between. */
export function readTaints(text: string | undefined): readonly Taint[] {
  return parts(text).map((part) => {
    const match = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(part);
    if (match === null || !EFFECTS.has(match[3]!))
      throw new KubeletExit(
        `failed to parse kubelet flag: invalid argument "${text}" for "--register-with-taints" flag: invalid taint spec: ${part}`,
      );
    const [, key, value, effect] = match;
    return { key: key!, ...(value ? { value } : {}), effect: effect! };
  });
}

export function readLabels(text: string): Labels {
  const labels: Record<string, string> = {};
  for (const part of parts(text)) {
    const at = part.indexOf('=');
    if (at < 0)
      throw new KubeletExit(
        `invalid argument "${text}" for "--node-labels" flag: malformed pair, expect string=string`,
      );
    labels[part.slice(0, at).trim()] = part.slice(at + 1).trim();
  }
  const foreign = Object.keys(labels).filter(isForeignLabel).sort();
  if (foreign.length > 0)
    throw new KubeletExit(
      `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${foreign.join(' ')}]; ` +
        `--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (${OWN_LABEL_DOMAINS.join(', ')}) or be in the specifically allowed set`,
    );
  return labels;
}

// ---------------------------------------------------------------------------------------------------

const EFFECTS: ReadonlySet<string> = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
/** Flags that require a value of this form. */
const FORMS: Readonly<Record<string, RegExp>> = {
  'image-gc-high-threshold': /^\d{1,3}$/,
  'image-gc-low-threshold': /^\d{1,3}$/,
  'pod-max-pids': /^-?\d+$/,
  'container-log-max-files': /^\d+$/,
  'node-status-update-frequency': /^(\d+(\.\d+)?(ns|us|ms|s|m|h))+$/,
  'cpu-cfs-quota': /^(true|false)$/,
  'fail-swap-on': /^(true|false)$/,
};

function readFlags(text: string, minor: number): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const match = /^--?([a-z][\w-]*)(?:=(.*))?$/s.exec(word);
    if (match === null) throw new KubeletExit(`unknown command ${word}`);
    const [, name, value = 'true'] = match;
    if (!KUBELET_FLAGS.has(name!) || minor >= (REMOVED_FLAGS[name!] ?? Number.POSITIVE_INFINITY))
      throw new KubeletExit(`failed to parse kubelet flag: unknown flag: --${name}`);
    if (FORMS[name!]?.test(value) === false)
      throw new KubeletExit(`failed to parse kubelet flag: invalid argument "${value}" for "--${name}" flag`);
    flags.set(name!, value);
  }
  return flags;
}

function readWhole(flag: string, text: string): number {
  if (!/^\d{1,6}$/.test(text))
    throw new KubeletExit(
      `failed to parse kubelet flag: invalid argument "${text}" for "--${flag}" flag: strconv.ParseInt: parsing "${text}": invalid syntax`,
    );
  return Number(text);
}

function readReserved(flag: string, text: string | undefined): { milliCpu: number; memoryBytes: number } {
  const amounts = new Map<string, Quantity>();
  for (const part of parts(text)) {
    const [name = '', ...value] = part.split('=');
    if (!RESERVABLE.has(name))
      throw new KubeletExit(`failed to run Kubelet: cannot reserve "${name}" resource, --${flag}`);
    amounts.set(name, quantity(flag, value.join('=')));
  }
  return {
    milliCpu: Number((amounts.get('cpu') ?? Quantity.zero).milli()),
    memoryBytes: Number((amounts.get('memory') ?? Quantity.zero).value()),
  };
}

const RESERVABLE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pid']);

function readEvictions(text: string | undefined): Omit<Reserved, 'milliCpu'> {
  let memoryBytes = 0;
  let storageShare = 0;
  let storageBytes = 0;
  for (const part of parts(text ?? DEFAULT_EVICTIONS)) {
    const [signal = '', limit] = part.split('<');
    if (limit === undefined || !SIGNALS.has(signal))
      throw new KubeletExit(`failed to run Kubelet: unsupported eviction signal or operator: ${part}`);
    const share = /^(\d+(?:\.\d+)?)%$/.exec(limit)?.[1];
    const bytes = share === undefined ? Number(quantity('eviction-hard', limit).value()) : 0;
    if (signal === 'memory.available') memoryBytes = bytes;
    if (signal === 'nodefs.available') {
      storageShare = Number(share ?? 0) / 100;
      storageBytes = bytes;
    }
  }
  return { memoryBytes, storageShare, storageBytes };
}

const DEFAULT_EVICTIONS = 'memory.available<100Mi,nodefs.available<10%';
const SIGNALS: ReadonlySet<string> = new Set([
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
]);

function quantity(flag: string, text: string): Quantity {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw new KubeletExit(`failed to run Kubelet: --${flag}: ${error.message}: "${text}"`);
  }
}

function isForeignLabel(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const isKubernetes = /(^|\.)(kubernetes|k8s)\.io$/.test(domain);
  if (!isKubernetes || OWN_LABELS.has(key)) return false;
  return !OWN_LABEL_DOMAINS.some((own) => domain === own || domain.endsWith(`.${own}`));
}

function parts(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
