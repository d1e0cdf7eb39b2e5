/** Reboots instances. EC2 cannot name operations: this process remembers those that it has requested. */
import type { Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';

import { asCloudError, toAwsError } from '../errors/index.ts';
import type { Ec2Calls } from '../wire/index.ts';
import { parseProviderId } from './provider-id.ts';

export class Restarter {
  readonly #ec2: Pick<Ec2Calls, 'rebootInstances'>;
  readonly #done = new Set<string>();

  constructor(ec2: Pick<Ec2Calls, 'rebootInstances'>) {
    this.#ec2 = ec2;
  }

  /** @throws {CloudError} */
  async restart(claim: Stored<NodeClaim>, operationId: string, signal: AbortSignal): Promise<void> {
    if (this.#done.has(operationId)) return;
    const named = parseProviderId(claim.status?.providerID);
    if (named === undefined)
      throw new CloudError('NotFound', `NodeClaim ${claim.metadata.name} names no instance to reboot`);
    try {
      await this.#ec2.rebootInstances({ InstanceIds: [named.id] }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      const { code, text } = toAwsError(error);
      if (REFUSALS.has(code))
        throw new CloudError('RebootFailed', `EC2 does not reboot ${named.id}: ${text}`, { code });
      throw asCloudError(error);
    }
    this.#done.add(operationId);
    if (this.#done.size > MAX_REMEMBERED) this.#done.delete(this.#done.values().next().value!);
  }
}

// ---------------------------------------------------------------------------------------------------------------

const MAX_REMEMBERED = 10_000;

/** The instance is stopped or ending, or cannot be rebooted at all. */
const REFUSALS: ReadonlySet<string> = new Set([
  'IncorrectInstanceState',
  'IncorrectState',
  'UnsupportedOperation',
]);
