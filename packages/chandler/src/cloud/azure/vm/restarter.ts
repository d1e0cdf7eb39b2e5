/**
 * Restarts the VM of a claim. Azure has no name for the operation, so what this process sent is remembered here; a process
 * that begins anew may send it twice, which only prolongs the same outage: the caller does not ask once the VM has booted.
 */
import { type Log, RecentMap } from '@chandler/kube';
import { CloudError } from '../../index.ts';
import { classify } from '../errors/index.ts';
import { isOurVm } from './delete-decision.ts';
import type { DeleteTarget } from './deleter.ts';
import type { VmApi } from './vm-api.ts';

const MAX_REMEMBERED = 1_000;

export class VmRestarter {
  readonly #log: Log;
  readonly #accepted = new RecentMap<true>(MAX_REMEMBERED);

  constructor(log: Log) {
    this.#log = log;
  }

  /** @throws {CloudError} `NotFound` when the claim has no VM. */
  async restart(api: VmApi, target: DeleteTarget, operationId: string): Promise<void> {
    if (this.#accepted.get(operationId) !== undefined) return;
    const { name } = target;
    const sent = await this.#send(api, target).catch((thrown: unknown) => {
      throw classify(thrown).error;
    });
    if (!sent) throw new CloudError('NotFound', `virtual machine ${name} of the claim does not exist`);
    this.#accepted.set(operationId, true);
    this.#log.info('restarting VM', { vm: name, operation: operationId });
  }

  async #send(api: VmApi, target: DeleteTarget): Promise<boolean> {
    const vm = await api.getVm(target.name);
    return vm !== undefined && isOurVm(vm, target) && api.restartVm(target.name);
  }
}
