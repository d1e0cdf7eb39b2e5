/** Checks of the requirements of NodePools. */
import { AWS_LABEL_RULES, isRestrictedLabel } from '../../../api/index.ts';
import { closestName } from '../../../settings/index.ts';
import { find, itemsAt, textAt } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, nodePools, objectOf, pass, seen, warn } from '../judgements.ts';

const LIST = ['spec', 'template', 'spec', 'requirements'] as const;
/** Domains in which a label that is not well known is a typing error. */
const KNOWN_DOMAINS = /^(kubernetes\.io|node\.kubernetes\.io|topology\.kubernetes\.io)\//;

export const REQUIREMENT_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-25',
    title: 'Requirements name labels that exist',
    inputs: ['nodePools'],
    criterion:
      'Warns if a requirement has a label of the domain of Karpenter or Kubernetes that no node has, or one of your own that the NodePool neither sets nor gives a value.',
    severity: 'high',
    phase: 4,
    fix: 'Correct the key of the requirement.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const items = itemsAt(pool.tree, ...LIST);
        const object = objectOf(pool);
        if (items.length === 0) return undefined;
        const wrong = items.flatMap((item, index) => {
          const key = textAt(item, 'key') ?? '';
          const isSet = find(pool.tree, 'spec', 'template', 'metadata', 'labels', key) !== undefined;
          const isOwn = !isRestrictedLabel(key, AWS_LABEL_RULES) && !KNOWN_DOMAINS.test(key);
          const isGood =
            AWS_LABEL_RULES.wellKnown.has(key) || isSet || (isOwn && textAt(item, 'operator') === 'In');
          return isGood ? [] : [{ key, path: [...LIST, index, 'key'] }];
        });
        if (wrong.length === 0)
          return pass(
            'All labels are known.',
            items.map((_, index) => seen(pool, ...LIST, index, 'key')),
            { object },
          );
        const guess = closestName(wrong[0]!.key, [...AWS_LABEL_RULES.wellKnown]);
        return warn(
          `No node has the label ${wrong.map(({ key }) => key).join(', ')}${guess === undefined ? '' : `; ${guess} may be meant`}.`,
          wrong.map(({ path }) => seen(pool, ...path)),
          { object },
        );
      }),
  },
];
