/**
 * Faults of a node beside faults that are not its own: a registered node has been provisioned, so what is wrong with its
 * node class, its set or the controller is told after its own fault, and does not make a healthy node broken.
 */
import type { CorpusCase } from './corpus.ts';
import { type ClaimWords, type NodeWords, SET } from './objects.ts';

interface NodeFault {
  /** None: the node is healthy. */
  readonly cause: string | undefined;
  readonly node: NodeWords;
}

interface Beside {
  readonly cause: string;
  readonly words: Pick<CorpusCase, 'controller' | 'class' | 'azure'>;
  readonly claim?: ClaimWords;
}

const NOT_READY = { status: 'False', reason: 'KubeletNotReady', ago: '10m' };

export const NODE_FAULTS: readonly NodeFault[] = [
  { cause: undefined, node: {} },
  {
    cause: 'nodes.network-not-ready',
    node: { ready: { ...NOT_READY, message: 'NetworkReady=false: cni plugin not initialized' } },
  },
  {
    cause: 'nodes.runtime-not-ready',
    node: { ready: { ...NOT_READY, message: 'container runtime is down' } },
  },
  {
    cause: 'nodes.disk-pressure',
    node: { conditions: { DiskPressure: { status: 'True', reason: 'KubeletHasDiskPressure' } } },
  },
];

const WITH_SET: ClaimWords = { annotations: { 'chandler.sh/disk-encryption-set': SET } };

export const BESIDE: readonly Beside[] = [
  { cause: 'configuration.controller-down', words: { controller: { ready: 0, leader: false } } },
  { cause: 'configuration.no-leader', words: { controller: { leader: false } } },
  ...[
    ['L4.2', 'DiskEncryptionSetRBACMissing'],
    ['L4.4', 'KeyDisabled'],
    ['L1.3', 'DiskEncryptionSetNotFound'],
  ].map(([cause = '', reason = '']) => ({
    cause,
    claim: WITH_SET,
    words: {
      class: {
        set: { id: SET, source: 'NodeClass' },
        conditions: { ValidationSucceeded: { status: 'False', reason, message: 'it is broken' } },
      },
    },
  })),
  { cause: 'L1.1', claim: WITH_SET, words: {} },
];

/** One for each pair, asked about the node and about its claim. */
export function nodePairs(): readonly { first: string | undefined; second: string; one: CorpusCase }[] {
  return ['node/aks-default-x7k2p', 'nodeclaim/default-x7k2p'].flatMap((ask) =>
    NODE_FAULTS.flatMap(({ cause: first, node }) =>
      BESIDE.map(({ cause: second, words, claim = {} }) => ({
        first,
        second,
        one: {
          file: '',
          title: '',
          ask,
          ...words,
          claims: [{ age: '24h', ...claim }],
          nodes: [{ age: '24h', ...node }],
          expect: {},
        } as CorpusCase,
      })),
    ),
  );
}
