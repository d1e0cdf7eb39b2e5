/**
 * Which claim names instances of the cluster carry. EC2 does not mind two instances with one name, but a second instance for
 * a name whose first one still runs belongs to a claim that was deleted and created again: it waits. Read once by a process;
 * what it says is looked at again before anybody is refused.
 */
import { CloudError } from '../../index.ts';

import { claimNameOf, type InstanceFacts, isEnding } from './instance-facts.ts';
import type { InstanceReader } from './instance-reader.ts';
import { SharedCalls } from './shared-calls.ts';

export class ClaimNames {
  readonly #reader: Pick<InstanceReader, 'get' | 'list'>;
  readonly #ids = new Map<string, string>();
  /** One list serves all launches that wait for it. */
  readonly #list: SharedCalls<void>;
  #loaded = false;

  constructor(reader: Pick<InstanceReader, 'get' | 'list'>) {
    this.#reader = reader;
    this.#list = new SharedCalls({
      maxItems: 1,
      call: async (_, signal) => {
        if (this.#loaded) return new Map();
        for (const facts of await reader.list(signal)) this.add(facts);
        this.#loaded = true;
        return new Map();
      },
    });
  }

  /** The instance that carries the name of the claim and has not ended; nothing when there is none. */
  async holder(claimName: string, signal: AbortSignal): Promise<InstanceFacts | undefined> {
    if (!this.#loaded) await this.#list.ask('all', signal);
    const id = this.#ids.get(claimName);
    if (id === undefined) return undefined;
    const facts = await this.#reader.get(id, signal);
    if (facts !== undefined && !isEnding(facts) && claimNameOf(facts) === claimName) return facts;
    this.#ids.delete(claimName);
    return undefined;
  }

  add(facts: InstanceFacts): void {
    const name = claimNameOf(facts);
    if (name !== undefined) this.#ids.set(name, facts.id);
  }

  remove(claimName: string): void {
    this.#ids.delete(claimName);
  }
}

export function nameTaken(claimName: string, { id }: InstanceFacts): CloudError {
  return new CloudError(
    'NameTaken',
    `instance ${id} carries the name of NodeClaim ${claimName} and was launched for another one of that name; it is terminated first`,
  );
}
