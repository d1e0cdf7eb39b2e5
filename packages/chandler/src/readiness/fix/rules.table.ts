/**
 * What `--fix` may write, for each check: a value that the check itself demands, or one that a source proves. A check
 * that is not here needs a decision or a value that nobody can read from the inputs.
 */
import type { FactName, FactValue } from '../facts/facts.ts';

export interface FixRule {
  readonly id: string;
  /** The key whose value is wrong or missing. */
  readonly key: string;
  readonly to:
    | { readonly kind: 'remove' }
    | { readonly kind: 'constant'; readonly value: string }
    /** The one value that the infrastructure gives for a fact. */
    | {
        readonly kind: 'fact';
        readonly fact: FactName;
        /** Which values are for Karpenter, where an installation has several of the kind. Default: all. */
        accepts?(value: FactValue): boolean;
      }
    /** A part of the value that is there. */
    | { readonly kind: 'part'; of(value: string): string | undefined };
  /** The map that the key is added to where it is absent. */
  readonly under?: string;
}

const lastPart = (value: string): string | undefined => value.split(/[:/]/).at(-1) || undefined;
/** Other queues and profiles of an account are not for nodes. */
const namedKarpenter = ({ value = '' }: FactValue): boolean => /karpenter/i.test(value);
/** Of the keys of an account, the one that an output names for it. */
const namedOutput = ({ what }: FactValue): boolean => /\beks_kms_key_arn\b/.test(what);
const endpoint = { key: 'clusterEndpoint', to: { kind: 'fact', fact: 'endpoint' } } as const;

export const FIX_RULES: readonly FixRule[] = [
  { id: 'S-01', key: 'clusterName', to: { kind: 'fact', fact: 'clusterName' }, under: 'settings' },
  {
    id: 'S-02',
    key: 'instanceProfile',
    to: { kind: 'fact', fact: 'instanceProfile', accepts: namedKarpenter },
  },
  { id: 'S-06', key: 'eks.amazonaws.com/role-arn', to: { kind: 'fact', fact: 'controllerRoleArn' } },
  { id: 'S-10', key: 'karpenter.sh/discovery', to: { kind: 'fact', fact: 'clusterName' } },
  { id: 'S-16', ...endpoint },
  { id: 'S-17', ...endpoint },
  { id: 'S-18', ...endpoint },
  { id: 'S-19', key: 'defaultInstanceProfile', to: { kind: 'remove' } },
  { id: 'S-30', key: 'namespace', to: { kind: 'remove' } },
  { id: 'S-35', key: 'httpTokens', to: { kind: 'constant', value: 'required' } },
  { id: 'S-37', key: 'encrypted', to: { kind: 'constant', value: 'true' }, under: 'ebs' },
  {
    id: 'S-38',
    key: 'kmsKeyID',
    to: { kind: 'fact', fact: 'kmsKeyArn', accepts: namedOutput },
    under: 'ebs',
  },
  {
    id: 'K-07',
    key: 'interruptionQueue',
    to: { kind: 'fact', fact: 'queueName', accepts: namedKarpenter },
    under: 'settings',
  },
  { id: 'K-09', key: 'interruptionQueue', to: { kind: 'part', of: lastPart } },
  { id: 'K-35', key: 'role', to: { kind: 'part', of: lastPart } },
  { id: 'K-35', key: 'instanceProfile', to: { kind: 'part', of: lastPart } },
];
