/**
 * What tells one machine from another: the machine ID of the installation and the UUID of the hardware, as the kubelet
 * reports them in the Node. A copied disk has the machine ID of the original, a replaced disk has the UUID of the hardware.
 */
import { FlexError } from '../flex-error.ts';
import type { Host } from './host.ts';

export interface MachineIds {
  readonly machineId?: string;
  readonly systemUuid?: string;
}

export async function readMachineIds(host: Pick<Host, 'readFile'>): Promise<MachineIds> {
  const machineId = (await firstOf(host, MACHINE_ID_FILES))?.toLowerCase();
  const systemUuid = (await firstOf(host, SYSTEM_UUID_FILES))?.toLowerCase();
  return {
    // Until the first boot it contains the word `uninitialized`.
    ...(machineId !== undefined && /^[0-9a-f]{32}$/.test(machineId) ? { machineId } : {}),
    ...(systemUuid === undefined ? {} : { systemUuid }),
  };
}

/** `unknown` if there is no ID that both have. */
export function compareMachines(one: MachineIds, other: MachineIds): 'same' | 'different' | 'unknown' {
  const pairs = [
    [one.machineId, other.machineId],
    [one.systemUuid, other.systemUuid],
  ].filter(([a, b]) => a !== undefined && b !== undefined);
  if (pairs.length === 0) return 'unknown';
  return pairs.every(([a, b]) => a?.toLowerCase() === b?.toLowerCase()) ? 'same' : 'different';
}

/** `machine ID 8f…, system UUID 4c…`. */
export function describeMachine({ machineId, systemUuid }: MachineIds): string {
  const parts = [
    ...(machineId === undefined ? [] : [`machine ID ${machineId}`]),
    ...(systemUuid === undefined ? [] : [`system UUID ${systemUuid}`]),
  ];
  return parts.length === 0 ? 'unknown machine ID' : parts.join(', ');
}

// ---------------------------------------------------------------------------------------------------

const MACHINE_ID_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'] as const;
/** Without DMI the kubelet reports other values, which say no more than the machine ID. */
const SYSTEM_UUID_FILES = ['/sys/class/dmi/id/product_uuid'] as const;

async function firstOf(host: Pick<Host, 'readFile'>, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await readText(host, path);
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}

async function readText(host: Pick<Host, 'readFile'>, path: string): Promise<string | undefined> {
  try {
    const bytes = await host.readFile(path);
    return bytes && Buffer.from(bytes).toString('utf8').trim();
  } catch (error) {
    // Only root may read the UUID; a dry run may be that of another user.
    if (error instanceof FlexError) return undefined;
    throw error;
  }
}
