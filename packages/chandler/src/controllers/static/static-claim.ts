/**
 * The claim of a static pool: created for no pod, so it requests what the template says and leaves the instance type
 * to the cloud.
 */
import { KarpenterAnnotation, KarpenterLabel, normalizeLabel } from '../../api/index.ts';
import { Algebra, anyValue, type LabelRequirement, serializeRequirement } from '../../scheduling/index.ts';

import type { ControllerContext } from '../context.ts';
import type { Pool } from '../pools/pool-store.ts';
import { type ClaimBody, claimBody } from '../provisioning/claim-body.ts';

/** The same id gives the same name, so that two replicas create one claim only. */
export function staticClaim(
  { labelRules }: Pick<ControllerContext, 'labelRules'>,
  pool: Pool,
  id: string,
): ClaimBody {
  const { template } = pool.spec;
  const labels = { ...template.metadata?.labels, [KarpenterLabel.nodePool]: pool.metadata.name };
  const { requirements, chosen } = joined(template.spec.requirements, labels, labelRules.wellKnown);
  return claimBody({
    planned: {
      id,
      labels: { ...chosen, ...labels },
      annotations: {
        ...template.metadata?.annotations,
        [KarpenterAnnotation.minValuesRelaxed]: 'false',
      },
      taints: template.spec.taints ?? [],
      startupTaints: template.spec.startupTaints ?? [],
      requirements,
      requests: {},
    },
    nodePool: pool,
    podUids: [],
    attempt: 0,
  });
}

// ---------------------------------------------------------------------------------------------------

/** The template's requirements and labels, with a value for every custom label that has several. */
function joined(
  own: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>>,
  wellKnown: ReadonlySet<string>,
): { requirements: LabelRequirement[]; chosen: Record<string, string> } {
  const algebra = new Algebra();
  const read = own.flatMap(({ key, operator, values, minValues }) => {
    const parsed = algebra.parse(normalizeLabel(key), operator, values ?? [], minValues);
    return 'problem' in parsed ? [] : [parsed];
  });
  const named = Object.entries(labels).map(([key, value]) => algebra.label(normalizeLabel(key), value));
  const { items } = algebra.set([...read, ...named]);
  const chosen: Record<string, string> = {};
  for (const item of items) {
    const key = algebra.labels.keyName(item.key);
    const value = wellKnown.has(key) ? undefined : anyValue(algebra, item);
    if (value !== undefined) chosen[key] = value;
  }
  const requirements = items.flatMap((item) => serializeRequirement(algebra, item));
  return { requirements: requirements.sort((one, other) => (one.key < other.key ? -1 : 1)), chosen };
}
