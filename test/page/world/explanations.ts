/** What `chandler why` says about objects of the fixture world. */
import type { Explanation, Finding } from '../../../packages/chandler/src/dashboard/wire.ts';

export function finding(id: string, title: string, summary: string, fix: string): Finding {
  return {
    id,
    layer: 'scheduling',
    layerNumber: 2,
    weight: 'certain',
    title,
    summary,
    fix,
    confirm: ['kubectl get nodepool general -o yaml'],
    facts: { requested: 'nvidia.com/gpu=1' },
    seen: [
      {
        where: 'event FailedScheduling',
        what: 'no instance type satisfied resources',
        at: '2026-06-01T11:56:00Z',
      },
    ],
  };
}

export function pendingExplanation(namespace: string, name: string, workload: string): Explanation {
  const large = workload.startsWith('StatefulSet/index');
  const cause = large
    ? finding(
        'RequestTooLarge',
        'No instance type is large enough',
        'NodePool general: the largest type (m7i.4xlarge) has 59 GiB, the pod requests 96 GiB. NodePool memory is not Ready. Nearest miss: r7g.4xlarge in NodePool general, excluded by the requirement instance-size.',
        'Permit instance-size 4xlarge in NodePool general.',
      )
    : finding(
        'NoMatchingTypes',
        'No NodePool has instance types with this resource',
        'NodePool general: no type has nvidia.com/gpu. NodePool batch: no type has nvidia.com/gpu; it is frozen as well.',
        'Add a NodePool with instance family g6, or remove the request.',
      );
  return {
    subject: { kind: 'Pod', name, namespace },
    verdict: 'broken',
    standing: `Pod ${namespace}/${name} is pending: ${String(cause['title']).toLowerCase()}.`,
    cause,
    also: [],
    layers: [
      {
        number: 1,
        layer: 'pod',
        title: 'Pod',
        state: 'ok',
        detail: 'the pod is unschedulable and may be planned',
      },
      {
        number: 2,
        layer: 'scheduling',
        title: 'Scheduling',
        state: 'broken',
        detail: String(cause['summary']),
      },
    ],
    nearestPools: [
      {
        nodePool: 'general',
        reasons: [
          large
            ? 'needs 96Gi memory with its daemons; the largest instance type offers 59Gi'
            : 'no instance type offers nvidia.com/gpu',
        ],
      },
    ],
    otherPools: [
      'NodePool batch: taint batch:NoSchedule is not tolerated',
      'NodePool memory: it is not ready',
    ],
    staying: [],
    journey: [],
    unread: [],
    text: `Pod ${namespace}/${name} is pending.\n\n  cause    ${cause['title']}\n  fix      ${cause['fix']}\n`,
  };
}

export function nodeExplanation(kind: string, name: string): Explanation {
  return {
    subject: { kind, name },
    verdict: 'healthy',
    standing: `${kind} ${name} is Ready.`,
    cause: null,
    also: [],
    layers: [
      {
        number: 3,
        layer: 'claim',
        title: 'NodeClaim',
        state: 'ok',
        detail: 'launched, registered and initialized',
      },
      { number: 5, layer: 'node', title: 'Node', state: 'ok', detail: 'Ready for 12 min' },
    ],
    nearestPools: [],
    otherPools: [],
    staying: [
      {
        code: 'PodDoNotDisrupt',
        text: 'pod shop/orders-db-0 has the annotation karpenter.sh/do-not-disrupt',
      },
    ],
    journey: [
      { at: '2026-06-01T11:47:00Z', who: 'chandler', what: 'planned', outcome: 'ok', detail: 'for 6 pods' },
      { at: '2026-06-01T11:47:38Z', who: 'kubelet', what: 'registered', outcome: 'ok', detail: '' },
    ],
    unread: [],
    text: `${kind} ${name} is Ready.\n\n  stays because pod shop/orders-db-0 has the annotation karpenter.sh/do-not-disrupt\n`,
  };
}
