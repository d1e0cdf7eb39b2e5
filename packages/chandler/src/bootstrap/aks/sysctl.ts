/** The sysctl file of a node: what every node gets, with the node class's values in their place. */
import type { Sysctls } from '../../api/index.ts';
import { BASE_SYSCTLS, SYSCTL_NAMES } from './sysctls.table.ts';

export function sysctlFile(sysctls: Sysctls | undefined): string {
  const values = new Map(Object.entries(BASE_SYSCTLS));
  for (const [field, name] of Object.entries(SYSCTL_NAMES)) {
    const value = sysctls?.[field as keyof Sysctls];
    if (value !== undefined) values.set(name.kernel, kernelValue(value));
  }
  if (coversHostPort(sysctls?.netIPv4IPLocalPortRange)) {
    values.set('net.ipv4.ip_local_reserved_ports', String(HOST_PORT));
  }
  return `${[...values].map(([name, value]) => `${name} = ${value}`).join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------

/** Azure's host talks to its agent on this port: no outgoing connection may take it. */
const HOST_PORT = 65_330;

function kernelValue(value: string | number | boolean): string {
  return typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
}

function coversHostPort(range: string | undefined): boolean {
  const [first, last] = (range ?? '').split(' ').map(Number);
  return first !== undefined && last !== undefined && first <= HOST_PORT && HOST_PORT <= last;
}
