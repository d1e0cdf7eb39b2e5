/** Checks of what an EC2NodeClass tells its nodes: user data and kubelet settings. */
import { AMI_FAMILIES } from '../../../api/index.ts';
import { kubeletProblems } from '../../../cloud/aws/node-class/kubelet-validation.ts';
import { find, textAt, toValue } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, nodeClasses, objectOf, pass, seen, skip, warn } from '../judgements.ts';
import { familyOf, isAsPublished } from '../node-class-family.ts';
import { judgeUserData } from '../user-data.ts';

const USER_DATA = ['spec', 'userData'] as const;
const KUBELET = ['spec', 'kubelet'] as const;

export const KUBELET_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-72',
    title: 'User data does not get in the way',
    inputs: ['nodeClasses'],
    criterion:
      'Fails if it cannot be read (MIME, TOML), is too large, or calls bootstrap.sh on Amazon Linux 2, which is called anyway. Warns if it is larger than 90 % of 16 KiB, has secrets, or has a part that the nodes do not use.',
    severity: 'high',
    phase: 4,
    fix: 'Remove what the controller writes itself, and read secrets when the node starts.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        const text = textAt(own.tree, ...USER_DATA);
        if (text === undefined) return undefined;
        const object = objectOf(own);
        const { value, ...evidence } = seen(own, ...USER_DATA);
        const shown = [{ ...evidence, note: `${Buffer.byteLength(value ?? '')} bytes` }];
        const { failures, doubts } = judgeUserData(text, familyOf(own));
        if (failures.length > 0) return fail([...failures, ...doubts].join(' '), shown, { object });
        return doubts.length === 0
          ? pass('There is nothing to object to.', shown, { object })
          : warn(doubts.join(' '), shown, { object });
      }),
  },
  {
    id: 'K-73',
    title: 'Custom images register with the taint of Karpenter',
    inputs: ['nodeClasses'],
    criterion:
      'Fails if a class of the family Custom has no karpenter.sh/unregistered in its user data: its nodes do not register.',
    severity: 'critical',
    phase: 4,
    fix: 'Start the kubelet with --register-with-taints=karpenter.sh/unregistered:NoExecute.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        if (familyOf(own) !== 'Custom') return undefined;
        const { value, ...evidence } = seen(own, ...USER_DATA);
        const object = objectOf(own);
        return value?.includes('karpenter.sh/unregistered') === true
          ? pass('Its user data sets the taint.', [evidence], { object })
          : fail('Nothing sets the taint karpenter.sh/unregistered:NoExecute.', [evidence], { object });
      }),
  },
  {
    id: 'K-77',
    title: 'Kubelet settings are valid, and the AMI family reads them',
    inputs: ['nodeClasses'],
    criterion: 'Fails if spec.kubelet has an unknown or invalid field, or one that the AMI family ignores.',
    severity: 'high',
    phase: 4,
    fix: 'Correct the field, or use AL2023, which reads all of them.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        const kubelet = find(own.tree, ...KUBELET);
        if (kubelet?.kind !== 'map') return undefined;
        const object = objectOf(own);
        const family = AMI_FAMILIES.find((known) => known === familyOf(own));
        const evidence = [...kubelet.entries.keys()].map((field) => seen(own, ...KUBELET, field));
        if (family === undefined) return skip('The AMI family is not known.', [], evidence, { object });
        const problems = kubeletProblems(toValue(kubelet) as object, family, {
          hasOwnSettings: !isAsPublished(own),
        });
        return problems.length === 0
          ? pass('All fields are valid.', evidence, { object })
          : fail(`${problems.map(({ field, message }) => `${field}: ${message}`).join('; ')}.`, evidence, {
              object,
            });
      }),
  },
];
