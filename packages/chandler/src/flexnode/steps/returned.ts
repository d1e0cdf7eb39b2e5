/** What a bootstrap must forget after an unbootstrap that left something over and restored the services. */
import { forgetMount } from '../kubelet/pod-mounts.ts';
import { forgetNetwork } from '../kubelet/pod-network.ts';
import { forgetRuntime } from '../kubelet/stop-pods.ts';
import type { Facts } from '../step.ts';
import { RETURNED } from './services.ts';

/**
 * The facts describe the machine before the first bootstrap. The owner may have changed it since, so bootstrap records
 * services, mounts, containers and networks again.
 */
export async function forgetReturned(facts: Facts): Promise<void> {
  if (facts.get(RETURNED) === undefined) return;
  for (const unit of ['kubelet', 'containerd']) {
    await facts.delete(`services.${unit}.enabled-before`);
    await facts.delete(`services.${unit}.active-before`);
  }
  await forgetRuntime(facts);
  await forgetNetwork(facts);
  await forgetMount(facts);
  await facts.delete(RETURNED);
}
