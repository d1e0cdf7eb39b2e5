/**
 * The built-in instance types, in the form of EC2's API. One line of the table is one type, its fields separated by `|`;
 * fields at the end that are empty are left out.
 */
import type { GpuDevice, InstanceTypeInfo } from './instance-type-info.ts';
import type { TypeOffering } from './type-lists.ts';
import { TYPES, ZONES } from './types.table.ts';

export function offlineTypes(): readonly InstanceTypeInfo[] {
  return lines().map(decodeType);
}

/** Regions with a list of their own. */
export function offlineRegions(): readonly string[] {
  return Object.keys(ZONES);
}

/** Which zones sell which types; a region that is not known sells what us-east-1 sells, in three zones. */
export function offlineOfferings(region: string): readonly TypeOffering[] {
  const { zones, sold } = ZONES[region] ?? { zones: 'abc', sold: ZONES['us-east-1']!.sold };
  const digits = sold.replace(/(.)~(\d+)~/g, (_, digit: string, times: string) =>
    digit.repeat(Number(times) + 1),
  );
  return lines().flatMap((line, index) => {
    const mask = DIGITS.indexOf(digits[index]!);
    const name = line.slice(0, line.indexOf('|'));
    return [...zones].flatMap((letter, bit) =>
      (mask & (1 << bit)) === 0 ? [] : { InstanceType: name, Location: `${region}${letter}` },
    );
  });
}

export function decodeType(line: string): InstanceTypeInfo {
  const fields = line.split('|');
  const at = (index: number) => fields[index] ?? '';
  const number = (index: number) => Number(at(index));
  const flags = at(11);
  const ebs = at(8);
  const storage = at(13);
  const [family, accelerators] = at(15).split(':');
  return {
    InstanceType: at(0),
    SupportedUsageClasses: USAGES.filter(([letter]) => at(7).includes(letter)).map(([, usage]) => usage),
    BareMetal: at(6) === 'm',
    ...(at(6) === 'm' ? {} : { Hypervisor: at(6) === 'n' ? 'nitro' : 'xen' }),
    ProcessorInfo: {
      SupportedArchitectures: ARCHITECTURES[at(1)]!,
      ...(at(4) === '' ? {} : { SustainedClockSpeedInGhz: number(4) }),
      SupportedFeatures: flags.includes('v') ? ['nested-virtualization'] : [],
      Manufacturer: MAKERS[at(5)]!,
    },
    VCpuInfo: { DefaultVCpus: number(2) },
    MemoryInfo: { SizeInMiB: number(3) },
    ...(storage === ''
      ? {}
      : {
          InstanceStorageInfo: {
            TotalSizeInGB: Number.parseInt(storage, 10),
            NvmeSupport: storage.endsWith('n') ? 'required' : 'unsupported',
          },
        }),
    EbsInfo: {
      EbsOptimizedSupport: ebs === 'u' ? 'unsupported' : ebs.startsWith('s') ? 'supported' : 'default',
      ...(/\d/.test(ebs)
        ? { EbsOptimizedInfo: { MaximumBandwidthInMbps: Number(ebs.replace('s', '')) } }
        : {}),
    },
    NetworkInfo: {
      DefaultNetworkCardIndex: 0,
      NetworkCards: cards(at(9)).map((MaximumNetworkInterfaces, NetworkCardIndex) => ({
        NetworkCardIndex,
        MaximumNetworkInterfaces,
      })),
      Ipv4AddressesPerInterface: number(10),
      EncryptionInTransitSupported: flags.includes('e'),
      EnaSupport: flags.includes('r') ? 'required' : flags.includes('s') ? 'supported' : 'unsupported',
      ...(at(12) === '' ? {} : { EfaInfo: { MaximumEfaInterfaces: number(12) } }),
    },
    ...(at(14) === '' ? {} : { GpuInfo: { Gpus: at(14).split('+').map(decodeGpu) } }),
    ...(family === 'neuron' ? { NeuronInfo: { NeuronDevices: [decodeNeuron(accelerators!)] } } : {}),
    ...(family === 'inference'
      ? { InferenceAcceleratorInfo: { Accelerators: [decodeGpu(accelerators!)] } }
      : {}),
    PlacementGroupInfo: {
      SupportedStrategies: [...(flags.includes('c') ? ['cluster'] : []), 'partition', 'spread'],
    },
    NitroEnclavesSupport: flags.includes('n') ? 'supported' : 'unsupported',
  };
}

/** The inverse of `decodeType`, for what writes the table. */
export function encodeType(info: InstanceTypeInfo): string {
  const { ProcessorInfo: processor, NetworkInfo: network, EbsInfo: ebs, InstanceStorageInfo: storage } = info;
  const architectures = processor?.SupportedArchitectures?.join() ?? '';
  const key = (rows: Readonly<Record<string, unknown>>, value: string) =>
    Object.entries(rows).find(([, own]) => String(own) === value)![0];
  const has = (letter: string, holds: boolean | undefined) => (holds === true ? letter : '');
  const neuron = info.NeuronInfo?.NeuronDevices?.[0];
  const inference = info.InferenceAcceleratorInfo?.Accelerators?.[0];
  return [
    info.InstanceType,
    key(ARCHITECTURES, architectures),
    info.VCpuInfo?.DefaultVCpus,
    info.MemoryInfo?.SizeInMiB,
    processor?.SustainedClockSpeedInGhz ?? '',
    key(MAKERS, processor?.Manufacturer ?? ''),
    info.BareMetal === true ? 'm' : info.Hypervisor === 'nitro' ? 'n' : 'x',
    USAGES.filter(([, usage]) => info.SupportedUsageClasses?.includes(usage))
      .map(([letter]) => letter)
      .join(''),
    ebs?.EbsOptimizedSupport === 'unsupported'
      ? 'u'
      : `${ebs?.EbsOptimizedSupport === 'supported' ? 's' : ''}${ebs?.EbsOptimizedInfo?.MaximumBandwidthInMbps ?? ''}`,
    encodeCards(network?.NetworkCards?.map((card) => card.MaximumNetworkInterfaces ?? 0) ?? []),
    network?.Ipv4AddressesPerInterface,
    has('e', network?.EncryptionInTransitSupported) +
      has('v', processor?.SupportedFeatures?.includes('nested-virtualization')) +
      has('n', info.NitroEnclavesSupport === 'supported') +
      has('c', info.PlacementGroupInfo?.SupportedStrategies?.includes('cluster')) +
      has('r', network?.EnaSupport === 'required') +
      has('s', network?.EnaSupport === 'supported'),
    network?.EfaInfo?.MaximumEfaInterfaces ?? '',
    storage?.TotalSizeInGB === undefined
      ? ''
      : `${storage.TotalSizeInGB}${storage.NvmeSupport === 'unsupported' ? '' : 'n'}`,
    (info.GpuInfo?.Gpus ?? []).map(encodeGpu).join('+'),
    neuron === undefined
      ? inference === undefined
        ? ''
        : `inference:${encodeGpu(inference)}`
      : `neuron:${neuron.Name}*${neuron.Count}@${neuron.CoreInfo?.Count ?? 0}`,
  ]
    .join('|')
    .replace(/\|+$/, '');
}

// ---------------------------------------------------------------------------------------------------------------

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';

const ARCHITECTURES: Readonly<Record<string, readonly string[]>> = {
  x: ['x86_64'],
  a: ['arm64'],
  i: ['i386', 'x86_64'],
};
const MAKERS: Readonly<Record<string, string>> = { i: 'Intel', a: 'AMD', w: 'AWS' };
const USAGES = [
  ['o', 'on-demand'],
  ['s', 'spot'],
  ['c', 'capacity-block'],
] as const;

function lines(): readonly string[] {
  return TYPES.trim().split('\n');
}

/** `3`: one card with three interfaces. `8+7`: two cards. `2*16`: sixteen equal ones. */
function cards(text: string): readonly number[] {
  const [each, times] = text.split('*');
  return times === undefined
    ? text.split('+').map(Number)
    : Array.from({ length: Number(times) }, () => Number(each));
}

function encodeCards(numbers: readonly number[]): string {
  const [first] = numbers;
  return numbers.length > 2 && numbers.every((number) => number === first)
    ? `${first}*${numbers.length}`
    : numbers.join('+');
}

/** `NVIDIA T4*4@16384`: maker, name, count, memory of each in MiB. */
function encodeGpu({ Manufacturer, Name, Count, MemoryInfo }: GpuDevice): string {
  return `${Manufacturer} ${Name}*${Count}@${MemoryInfo?.SizeInMiB ?? 0}`;
}

function decodeGpu(text: string): GpuDevice {
  const [, Manufacturer, Name, count, memory] = /^(\S+) (.+)\*(\d+)@(\d+)$/.exec(text)!;
  return { Manufacturer, Name, Count: Number(count), MemoryInfo: { SizeInMiB: Number(memory) } };
}

function decodeNeuron(text: string) {
  const [, Name, count, cores] = /^(.+)\*(\d+)@(\d+)$/.exec(text)!;
  return { Name, Count: Number(count), CoreInfo: { Count: Number(cores) } };
}
