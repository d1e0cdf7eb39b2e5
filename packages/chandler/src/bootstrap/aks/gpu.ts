/** Whether a node installs a GPU driver, and what goes with it. Which driver fits a size, the caller knows. */
import type { GpuDriver, NodeBootstrapInput } from '../input.ts';
import { FABRIC_MANAGER_SIZES } from './fabric-manager.table.ts';

/** Nothing where there is no NVIDIA GPU, or where the node class leaves the driver to someone else. */
export function gpuDriverFor(input: Pick<NodeBootstrapInput, 'node' | 'nodeClass'>): GpuDriver | undefined {
  const { gpu } = input.node;
  if (gpu?.manufacturer !== 'nvidia' || input.nodeClass.spec.gpu?.mode === 'None') return undefined;
  return gpu.driver;
}

export function needsFabricManager(input: Pick<NodeBootstrapInput, 'node' | 'nodeClass'>): boolean {
  const size = input.node.size.toLowerCase().replace(/_promo$/, '');
  return gpuDriverFor(input) !== undefined && FABRIC_MANAGER_SIZES.has(size);
}
