/** Faults of the account beside those of the server's table: quotas, addresses, rights of nodes to join. They end together. */
import type { AwsServer } from '@chandler/cloudsim/aws';
import { FAULTS } from '@chandler/cloudsim/aws/testing';

export class AccountFaults {
  readonly #server: AwsServer;
  /** Own faults, and how each ends. */
  #own: { readonly name: string; readonly end: () => void }[] = [];

  constructor(server: AwsServer) {
    this.#server = server;
  }

  /** `quota=8`, or a fault of the server. */
  begin(fault: string): void {
    const [name = '', value = ''] = fault.split(/[=@]/);
    const begin = OWN[name];
    if (begin !== undefined) this.#own.push({ name, end: begin(this.#server, value) });
    else if (FAULTS.some((row) => row.name === name)) this.#server.faults.add(fault);
    else throw new Error(`AWS has no fault ${fault}`);
  }

  end(): void {
    this.#server.faults.clear();
    for (const { end } of this.#own) end();
    this.#own = [];
  }

  /** Whether one of our own has occurred is not known: it counts as soon as it begins. */
  list(): readonly { readonly name: string; readonly struck: number }[] {
    return [...this.#server.faults.list(), ...this.#own.map(({ name }) => ({ name, struck: 1 }))];
  }
}

// ---------------------------------------------------------------------------------------------------

const OWN: Readonly<Record<string, (server: AwsServer, value: string) => () => void>> = {
  /** So many vCPUs on demand. */
  quota({ quotas }, value) {
    const { limits } = quotas;
    quotas.limits = { ...limits, onDemand: { standard: Number(value) } };
    return () => {
      quotas.limits = {};
    };
  },
  'spot-quota'({ quotas }, value) {
    const { limits } = quotas;
    quotas.limits = { ...limits, spot: { standard: Number(value) } };
    return () => {
      quotas.limits = {};
    };
  },
  /** Somebody else has taken all but two addresses of the zones with these letters. */
  'subnet-full'({ account }, letters) {
    const full = [...account.subnets.values()].filter(({ zone }) => letters.includes(zone.at(-1)!));
    for (const subnet of full) subnet.occupied = Math.max(0, subnet.free - 2);
    return () => {
      for (const subnet of full) subnet.occupied = 0;
    };
  },
  /** The role of the nodes has no access entry: nobody joins. */
  'access-entry'({ cluster }) {
    const entries = [...cluster.accessEntries];
    cluster.accessEntries.clear();
    return () => {
      for (const [arn, type] of entries) cluster.accessEntries.set(arn, type);
    };
  },
};
