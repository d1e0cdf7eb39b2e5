/** A stop or a lost lease ends the calls in flight at once, and what ends so is not taken for a failure. */
import { ADMIN } from '@chandler/apiserver';
import { EVENTS, fetchTransport, LEASES, type Transport } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import type { Operator, OperatorEnd } from '../../packages/chandler/src/operator/index.ts';
import { NODE_CLASS, pool } from '../controllers/stage.ts';
import { type OperatorStage, operatorStage } from './operator-stage.ts';

let stage: OperatorStage;
afterEach(() => stage.end());

/** Calls that get no answer, by what they are about, until their signal ends them. */
class Silence {
  readonly waiting = new Set<string>();

  async until(
    what: string,
    signal: AbortSignal | undefined,
    answer: (reason: unknown) => unknown,
  ): Promise<never> {
    this.waiting.add(what);
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        this.waiting.delete(what);
        reject(answer(signal.reason));
      });
    });
  }
}

interface Blocked {
  readonly operator: Operator;
  readonly silence: Silence;
  /** From now on the lease cannot be renewed. */
  loseLease(): void;
}

/**
 * An operator with two claims: the API server does not answer the write of the first one's finalizer, the cloud does not
 * answer the launch of the second.
 */
async function blockedOperator(): Promise<Blocked> {
  stage = await operatorStage();
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('default'));
  const silence = new Silence();
  let leaseLost = false;
  const wire = fetchTransport(stage.playground.server.fetchAs(ADMIN));
  const transport: Transport = async (request) => {
    if (leaseLost && request.method !== 'GET' && request.path.includes(`/${LEASES.plural}`))
      return silence.until('lease', request.signal, (reason) => reason);
    if (request.method === 'PATCH' && request.path.endsWith('/nodeclaims/in-kube'))
      return silence.until('kube', request.signal, (reason) => reason);
    return wire(request);
  };
  // A cloud that says of an aborted call what it says of any call without an answer.
  stage.cloud.create = (_, signal) =>
    silence.until('cloud', signal, () => new CloudError('Unreachable', 'no answer from the cloud'));
  const operator = stage.operator({ kube: { host: 'kubernetes', transport } });
  await stage.inTime(operator.start());
  await stage.until('it leads', () => operator.isLeading);
  await stage.apply(NODE_CLAIMS, claim('in-kube'));
  await stage.apply(NODE_CLAIMS, claim('in-cloud'));
  await stage.until('both calls wait', () => silence.waiting.has('kube') && silence.waiting.has('cloud'));
  return {
    operator,
    silence,
    loseLease: () => {
      leaseLost = true;
    },
  };
}

const claim = (name: string) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: {
    nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
    requirements: [],
  },
});

/** Everything that says that something outside has failed. */
async function failures(): Promise<unknown> {
  const { values, lines } = stage.world;
  const counted = [...values].filter(
    ([series, value]) =>
      value > 0 &&
      (series.startsWith('controller_runtime_reconcile_errors_total') ||
        series.startsWith('karpenter_cloudprovider_errors_total') ||
        (series.startsWith('controller_runtime_reconcile_total') && series.includes('"error"'))),
  );
  const events = (await stage.list(EVENTS)).filter(
    (event) => event['type'] === 'Warning' && nameOf(event) === 'in-cloud',
  );
  const claims = (await stage.list(NODE_CLAIMS)).map((each) => [each.metadata.name, each['status']]);
  // That the lease cannot be renewed is a failure, and is logged as one.
  const logged = lines.filter(
    ({ level, fields }) => fields['controller'] !== undefined && (level === 'error' || level === 'warn'),
  );
  return { counted, events, claims, logged };
}

function nameOf(event: Record<string, unknown>): string | undefined {
  return (event['involvedObject'] as { name?: string } | undefined)?.name;
}

describe('a reconcile that waits for the API server, and one that waits for the cloud', () => {
  test('end at once when the operator stops, and are not counted as failures', async () => {
    const { operator, silence } = await blockedOperator();
    const before = await failures();
    const startMs = stage.world.clock.monotonic();
    await stage.inTime(operator.stop());
    expect(stage.world.clock.monotonic() - startMs).toBeLessThan(1_000);
    expect([...silence.waiting]).toEqual([]);
    expect(await failures()).toEqual(before);
    expect(await stage.leaseHolder()).toBe('');
  });

  test('end at once when the lease is lost, and are not counted as failures', async () => {
    const { operator, silence, loseLease } = await blockedOperator();
    const before = await failures();
    loseLease();
    let end: OperatorEnd | undefined;
    void operator.ended.then((how) => {
      end = how;
    });
    await stage.until('the lease is lost', () => end === 'lostLease', 30_000);
    expect([...silence.waiting].filter((what) => what !== 'lease')).toEqual([]);
    expect(await failures()).toEqual(before);
  });
});
